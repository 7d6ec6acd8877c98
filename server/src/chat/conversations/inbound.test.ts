import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot } from '../../../test/devices.ts';
import { startTestContext } from '../../../test/harness.ts';
import { keyedHash } from '../../../test/keyed-hash.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { InboundMessage } from '../../ports/messaging-network/messaging-network.ts';
import { receiveIgnored } from '../messages/messages.sql.ts';
import { listMessages } from '../messages/messages.ts';
import { recordInbound } from './inbound.ts';

const { db } = await startTestContext();
const contact = '+15550199';

interface ReceivingDevice {
  waitSeconds?: number | null;
  teamId: string;
  botId: string;
  deviceId: string;
}

async function addReceiver(): Promise<ReceivingDevice> {
  const ids = await addTeamWithBot(db);
  const deviceId = newId();
  await sql`
    insert into devices (id, team_id, bot_id, name, status, pool_id, pool_url)
    values (${deviceId}, ${ids.teamId}, ${ids.botId}, 'Desk', 'started', ${newId()}, 'http://pool')`.execute(
    db,
  );
  return { ...ids, deviceId };
}

const receive = (receiver: ReceivingDevice, message: Partial<InboundMessage> = {}) =>
  db.transaction().execute((tx) =>
    recordInbound(
      tx,
      receiver,
      {
        networkId: newId(),
        contactNumber: contact,
        fromMe: false,
        sentAt: new Date(),
        content: { kind: 'text', text: 'hello' },
        ...message,
      },
      keyedHash,
    ),
  );

async function conversationOf({ deviceId }: ReceivingDevice) {
  const { rows } = await sql<{ state: string; due_in: number | null; paused_for: number | null }>`
    select state, round(extract(epoch from answer_due_at - now()))::int as due_in,
           round(extract(epoch from paused_until - now()) / 60)::int as paused_for
    from conversations where device_id = ${deviceId}`.execute(db);
  assert.equal(rows.length, 1);
  return rows[0];
}

const messagesOf = async ({ deviceId }: ReceivingDevice) =>
  (
    await sql<{ direction: string; origin: string; kind: string; text: string; status: string }>`
      select direction, origin, kind, text, status from messages where device_id = ${deviceId} order by seq`.execute(
      db,
    )
  ).rows;

/** Returns the outcomes of contacts' messages as the API reports them, in order. */
async function outcomesOf({ deviceId }: ReceivingDevice) {
  const actor = { keyId: 'test', scope: { kind: 'all' }, role: null } as const;
  const query = { device_id: deviceId, direction: 'in', page: 1, limit: 100 } as const;
  const { messages } = await listMessages(db, actor, query);
  return messages.map(({ outcome }) => outcome).toReversed();
}

describe('a message from a contact', () => {
  test("is stored and makes its conversation due after the team's delay", async () => {
    const receiver = await addReceiver();
    assert.notEqual(await receive(receiver), null);
    assert.deepEqual(await messagesOf(receiver), [
      { direction: 'in', origin: 'contact', kind: 'text', text: 'hello', status: 'received' },
    ]);
    assert.deepEqual(await conversationOf(receiver), { state: 'bot', due_in: 2, paused_for: null });
    await sql`update teams set settings = '{"reply_delay_seconds": 30}' where id = ${receiver.teamId}`.execute(
      db,
    );
    await receive(receiver);
    assert.equal((await conversationOf(receiver))?.due_in, 30);
  });

  test('is answered at most five delays after the first unanswered one', async () => {
    const receiver = await addReceiver();
    await receive(receiver);
    const dueAfter = async (seconds: number) => {
      await sql`update messages set created_at = now() - make_interval(secs => ${seconds})
                where device_id = ${receiver.deviceId} and seq = (
                  select min(seq) from messages where device_id = ${receiver.deviceId} and status = 'received')`.execute(
        db,
      );
      await receive(receiver);
      return (await conversationOf(receiver))?.due_in;
    };
    assert.equal(await dueAfter(4), 2);
    assert.equal(await dueAfter(9), 1);
    assert.ok(Number(await dueAfter(30)) < 0, 'it is late already');
    await sql`update messages set status = 'answered' where device_id = ${receiver.deviceId}`.execute(db);
    await receive(receiver);
    assert.equal((await conversationOf(receiver))?.due_in, 2);
  });

  test('is not answered earlier because of messages that wait for credits', async () => {
    const receiver = await addReceiver();
    await receive(receiver);
    await sql`update messages set created_at = now() - interval '1 day' where device_id = ${receiver.deviceId}`.execute(
      db,
    );
    await sql`update conversations set answer_due_at = null where device_id = ${receiver.deviceId}`.execute(
      db,
    );
    await receive(receiver);
    assert.equal((await conversationOf(receiver))?.due_in, 2);
  });

  test('is stored once when redelivered and makes nothing due', async () => {
    const receiver = await addReceiver();
    await receive(receiver, { networkId: 'same' });
    await sql`update conversations set answer_due_at = null where device_id = ${receiver.deviceId}`.execute(
      db,
    );
    assert.equal(await receive(receiver, { networkId: 'same' }), null);
    assert.equal((await messagesOf(receiver)).length, 1);
    assert.equal((await conversationOf(receiver))?.due_in, null);
    await receive(receiver, { networkId: 'same', contactNumber: '+15550198' });
    assert.equal((await messagesOf(receiver)).length, 2);
  });

  test('is ignored for an unpublished bot and a banned team', async () => {
    const [silent, banned] = [await addReceiver(), await addReceiver()];
    await sql`update bots set live_version = null where id = ${silent.botId}`.execute(db);
    await sql`update teams set banned = true where id = ${banned.teamId}`.execute(db);
    for (const receiver of [silent, banned]) {
      assert.equal(await receive(receiver), null);
      assert.equal((await messagesOf(receiver))[0]?.status, 'ignored');
      assert.equal((await conversationOf(receiver))?.due_in, null);
    }
  });

  test('is ignored during a takeover and answered after it', async () => {
    const receiver = await addReceiver();
    await receive(receiver, { fromMe: true, content: { kind: 'text', text: 'I take over' } });
    assert.equal(await receive(receiver), null);
    assert.deepEqual(await conversationOf(receiver), { state: 'paused', due_in: null, paused_for: 60 });
    await sql`update conversations set paused_until = now() - interval '1 second'
              where device_id = ${receiver.deviceId}`.execute(db);
    assert.notEqual(await receive(receiver), null);
    assert.deepEqual(await conversationOf(receiver), { state: 'bot', due_in: 2, paused_for: null });
    assert.deepEqual(
      (await messagesOf(receiver)).map(({ status }) => status),
      ['sent', 'ignored', 'received'],
    );
  });

  test('does not end a pause that begins concurrently', async () => {
    const receiver = await addReceiver();
    await receive(receiver);
    const received = await db.transaction().execute(async (pausing) => {
      await sql`update conversations set state = 'paused', paused_until = now() + interval '1 hour', answer_due_at = null
                where device_id = ${receiver.deviceId}`.execute(pausing);
      const coming = receive(receiver);
      await waitForLockWaiter(db);
      return { coming };
    });
    assert.notEqual(
      await received.coming,
      null,
      'the answering worker sees the pause and ignores the message',
    );
    const { state, paused_for } = (await conversationOf(receiver)) ?? assert.fail();
    assert.deepEqual({ state, paused_for }, { state: 'paused', paused_for: 60 });
  });

  test('is stored with its media', async () => {
    const receiver = await addReceiver();
    await receive(receiver, {
      content: {
        kind: 'document',
        mimeType: 'application/pdf',
        bytes: Buffer.from('%PDF'),
        fileName: 'a.pdf',
        caption: '',
      },
    });
    const { rows } = await sql<{ text: string; bytes: Buffer }>`
      select m.text, media.bytes from messages m join message_media media on media.message_id = m.id
      where m.device_id = ${receiver.deviceId}`.execute(db);
    assert.deepEqual(rows, [{ text: 'a.pdf', bytes: Buffer.from('%PDF') }]);
  });
});

describe('a message written on the linked phone', () => {
  test("pauses the bot for the team's time and cancels the due answer", async () => {
    const receiver = await addReceiver();
    await sql`update teams set settings = '{"human_takeover_minutes": 15}' where id = ${receiver.teamId}`.execute(
      db,
    );
    await receive(receiver);
    assert.equal(await receive(receiver, { fromMe: true }), null);
    assert.deepEqual(await conversationOf(receiver), { state: 'paused', due_in: null, paused_for: 15 });
    assert.equal((await messagesOf(receiver))[1]?.origin, 'person');
  });

  test('does not shorten a pause that has no end', async () => {
    const receiver = await addReceiver();
    await receive(receiver);
    await sql`update conversations set state = 'paused' where device_id = ${receiver.deviceId}`.execute(db);
    await receive(receiver, { fromMe: true });
    assert.deepEqual(await conversationOf(receiver), { state: 'paused', due_in: null, paused_for: null });
  });
});

describe('a message of the linked phone that is no answer of a person', () => {
  const quiet = [
    { type: 'reaction', emoji: '👍', about: 'QUESTION' },
    { type: 'deletion', about: 'OWN' },
    { type: 'edit', about: 'OWN' },
    { type: 'poll_vote', about: 'QUESTION' },
    { type: 'sticker' },
  ] as const;
  for (const details of quiet) {
    test(`neither pauses the bot nor drops the question: ${details.type}`, async () => {
      const receiver = await addReceiver();
      await receive(receiver, { networkId: 'QUESTION' });
      await sql`update conversations set flag = 'human_requested' where device_id = ${receiver.deviceId}`.execute(
        db,
      );
      await receive(receiver, { fromMe: true, content: { kind: 'text', text: '[it]' }, details });
      assert.deepEqual(await conversationOf(receiver), { state: 'bot', due_in: 2, paused_for: null });
      assert.deepEqual(await outcomesOf(receiver), ['waiting']);
      const { rows } = await sql`
        select from conversations where device_id = ${receiver.deviceId} and flag = 'human_requested'`.execute(
        db,
      );
      assert.equal(rows.length, 1, 'the flag stays');
    });
  }

  test('keeps what was ignored during a pause for the bot that resumes', async () => {
    const receiver = await addReceiver();
    await receive(receiver, { fromMe: true });
    await receive(receiver, { networkId: 'QUESTION' });
    const details = { type: 'reaction', emoji: '👍', about: 'QUESTION' } as const;
    await receive(receiver, { fromMe: true, content: { kind: 'text', text: '[reaction 👍]' }, details });
    await db
      .transaction()
      .execute((tx) => receiveIgnored(tx, { deviceId: receiver.deviceId, contactNumber: contact }));
    assert.deepEqual(await outcomesOf(receiver), ['waiting']);
  });

  const own = (text: string, secondsAgo: number): Partial<InboundMessage> => ({
    fromMe: true,
    mayBeAutomatic: true,
    content: { kind: 'text', text },
    sentAt: new Date(Date.now() - secondsAgo * 1000),
  });
  const asked = (secondsAgo: number, contactNumber = contact): Partial<InboundMessage> => ({
    contactNumber,
    sentAt: new Date(Date.now() - secondsAgo * 1000),
  });

  test('is a greeting within seconds of the first message', async () => {
    const receiver = await addReceiver();
    await receive(receiver, asked(2));
    await receive(receiver, own('Welcome to Harbour Rentals!', 1));
    assert.deepEqual(await conversationOf(receiver), { state: 'bot', due_in: 2, paused_for: null });
    assert.deepEqual(await outcomesOf(receiver), ['waiting']);
    const actor = { keyId: 'test', scope: { kind: 'all' }, role: null } as const;
    const { messages } = await listMessages(db, actor, { device_id: receiver.deviceId, page: 1, limit: 10 });
    assert.deepEqual(messages[0]?.details, { automatic: true });
  });

  test('is a greeting that repeats its text, even if the phone sends it late', async () => {
    const receiver = await addReceiver();
    await receive(receiver, asked(200));
    await receive(receiver, own('Welcome!', 199));
    const other = '+15550188';
    await receive(receiver, asked(100, other));
    await receive(receiver, { ...own('Welcome!', 10), contactNumber: other });
    const { rows } = await sql`
      select from conversations where device_id = ${receiver.deviceId} and state = 'bot'`.execute(db);
    assert.equal(rows.length, 2);
  });

  test('is an away message in a known chat from its second time on', async () => {
    const receiver = await addReceiver();
    const chats = ['+15550181', '+15550182'];
    for (const contactNumber of chats) {
      await receive(receiver, asked(3600, contactNumber));
      await receive(receiver, asked(2, contactNumber));
      await receive(receiver, { ...own('We are closed.', 1), contactNumber });
    }
    const { rows } = await sql<{ state: string }>`
      select state from conversations where device_id = ${receiver.deviceId} order by contact_number`.execute(
      db,
    );
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['paused', 'bot'],
    );
  });

  test('is an answer of a person if it comes later, after the bot, in a known chat, or with a quote', async () => {
    const later = await addReceiver();
    await receive(later, asked(30));
    await receive(later, own('Yes, we do.', 1));
    const answered = await addReceiver();
    await receive(answered, asked(2));
    await sql`
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
      values (${newId()}, ${answered.teamId}, ${answered.deviceId}, ${contact}, 'out', 'bot', 'text', 'Hi', 'BOT', 'sent')`.execute(
      db,
    );
    await receive(answered, own('I take over.', 1));
    const known = await addReceiver();
    await receive(known, asked(3600));
    await receive(known, asked(2));
    await receive(known, own('Yes, we do.', 1));
    const quoting = await addReceiver();
    await receive(quoting, { ...asked(2), networkId: 'QUESTION' });
    await receive(quoting, { ...own('Yes, we do.', 1), details: { replyTo: 'QUESTION' } });
    const withoutApp = await addReceiver();
    await receive(withoutApp, asked(2));
    await receive(withoutApp, { ...own('Yes, we do.', 1), mayBeAutomatic: false });
    for (const receiver of [withoutApp, later, answered, known, quoting])
      assert.equal((await conversationOf(receiver))?.state, 'paused');
  });
});

describe('a missed call', () => {
  const call = {
    content: { kind: 'text', text: '[missed call]' },
    details: { type: 'call', video: true },
  } as const;
  const sentTo = async ({ deviceId }: ReceivingDevice) =>
    (await messagesOf({ deviceId, teamId: '', botId: '' })).flatMap(({ direction, text, status }) =>
      direction === 'out' ? [`${status}: ${text}`] : [],
    );
  const callEvents = async ({ teamId }: ReceivingDevice) => {
    const { rows } = await sql<{ data: { video: boolean; contact_number: string } }>`
      select data from events where team_id = ${teamId} and type = 'call.missed' order by data->>'message_id'`.execute(
      db,
    );
    return rows.map(({ data }) => data);
  };

  test('is an event, wakes no bot, and gets the reply of the device once in ten minutes', async () => {
    const receiver = await addReceiver();
    const { deviceId } = receiver;
    assert.equal(await receive(receiver, { ...call, networkId: 'CALL' }), null);
    assert.equal(await receive(receiver, { ...call, networkId: 'CALL' }), null);
    assert.deepEqual(
      (await callEvents(receiver)).map(({ video, contact_number: number }) => [video, number]),
      [[true, contact]],
    );
    assert.deepEqual(await sentTo(receiver), []);
    await sql`update devices set missed_call_reply = 'Please write to us.' where id = ${deviceId}`.execute(
      db,
    );
    await receive(receiver, call);
    assert.deepEqual(await sentTo(receiver), [], 'a call came a moment ago');
    await sql`update messages set created_at = now() - interval '11 minutes' where device_id = ${deviceId}`.execute(
      db,
    );
    await receive(receiver, call);
    await receive(receiver, call);
    assert.deepEqual(await sentTo(receiver), ['accepted: Please write to us.']);
    assert.equal((await conversationOf(receiver))?.due_in, null);
    assert.equal((await callEvents(receiver)).length, 4);
  });

  test('gets no reply while a person has the conversation', async () => {
    const receiver = await addReceiver();
    await sql`update devices set missed_call_reply = 'Please write to us.' where id = ${receiver.deviceId}`.execute(
      db,
    );
    await receive(receiver, { fromMe: true });
    await receive(receiver, call);
    assert.deepEqual(await sentTo(receiver), ['sent: hello']);
    assert.equal((await callEvents(receiver)).length, 1);
  });
});

describe('a message over the rate budget', () => {
  const receiveAfter = (receiver: ReceivingDevice, waitSeconds: number | null) =>
    receive({ ...receiver, waitSeconds });

  test('makes its conversation due when the budget allows it', async () => {
    const receiver = await addReceiver();
    await receiveAfter(receiver, 30);
    assert.equal((await conversationOf(receiver))?.due_in, 30);
  });

  test('wakes no worker, but others do', async () => {
    const receiver = await addReceiver();
    assert.notEqual(await receiveAfter(receiver, 0.5), null);
    assert.equal(await receiveAfter(receiver, 30), null);
    assert.notEqual(await receive(receiver), null);
  });

  test('does not delay earlier messages that wait for their answer', async () => {
    const receiver = await addReceiver();
    await receive(receiver);
    await receiveAfter(receiver, 30);
    assert.equal((await conversationOf(receiver))?.due_in, 2);
    await receive(receiver);
    assert.equal((await conversationOf(receiver))?.due_in, 2);
  });

  test('is answered later even if it arrives while the bot is answering', async () => {
    const receiver = await addReceiver();
    await receive(receiver);
    await sql`update conversations set answer_due_at = now(), claimed_until = now() + interval '15 seconds'
              where device_id = ${receiver.deviceId}`.execute(db);
    await receiveAfter(receiver, 30);
    assert.equal((await conversationOf(receiver))?.due_in, 30);
  });

  test('is stored but not answered beyond the maximum wait', async () => {
    const receiver = await addReceiver();
    assert.equal(await receiveAfter(receiver, null), null);
    assert.equal((await conversationOf(receiver))?.due_in, null);
    await receive(receiver);
    await receiveAfter(receiver, null);
    assert.equal((await conversationOf(receiver))?.due_in, 2);
    assert.deepEqual(await outcomesOf(receiver), ['rate_limited', 'waiting', 'rate_limited']);
  });
});

test('a message that the bot does not answer has the reason as its outcome', async () => {
  const [silent, banned, paused] = [await addReceiver(), await addReceiver(), await addReceiver()];
  await sql`update bots set live_version = null where id = ${silent.botId}`.execute(db);
  await sql`update teams set banned = true where id = ${banned.teamId}`.execute(db);
  await receive(paused);
  await receive(paused, { fromMe: true });
  await receive(paused);
  await receive(silent);
  await receive(banned);
  assert.deepEqual(await outcomesOf(silent), ['bot_not_published']);
  assert.deepEqual(await outcomesOf(banned), ['team_banned']);
  assert.deepEqual(await outcomesOf(paused), ['paused', 'paused']);
});

describe('a message about another message', () => {
  test('refers to it by its id and does not ask for an answer', async () => {
    const receiver = await addReceiver();
    await receive(receiver, { networkId: 'FIRST' });
    const { rows } = await sql<{ id: string }>`
      select id from messages where device_id = ${receiver.deviceId}`.execute(db);
    await sql`update conversations set answer_due_at = null where device_id = ${receiver.deviceId}`.execute(
      db,
    );
    const details = { type: 'reaction', emoji: '👍', about: 'FIRST', replyTo: 'UNKNOWN' } as const;
    assert.equal(
      await receive(receiver, { content: { kind: 'text', text: '[reaction 👍]' }, details }),
      null,
    );
    assert.equal((await conversationOf(receiver))?.due_in, null);
    const actor = { keyId: 'test', scope: { kind: 'all' }, role: null } as const;
    const { messages } = await listMessages(db, actor, { device_id: receiver.deviceId, page: 1, limit: 10 });
    assert.deepEqual(messages[0]?.details, {
      type: 'reaction',
      emoji: '👍',
      message_id: rows[0]?.id,
      quoted: { kind: 'text', text: '' },
    });
    assert.equal(messages[0]?.outcome, 'answered');
  });

  test('asks for an answer when it edits the other one', async () => {
    const receiver = await addReceiver();
    const details = { type: 'edit' } as const;
    assert.notEqual(
      await receive(receiver, { content: { kind: 'text', text: '[edited] nine' }, details }),
      null,
    );
  });
});
