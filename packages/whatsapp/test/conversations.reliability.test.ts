import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addTeam } from '../../../server/test/bots.ts';
import { newPhone } from '../../../server/test/devices.ts';
import { makePdf } from '../../../server/test/documents/make-pdf.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';
const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const receipt = ['Payment receipt', 'From: Ana', 'Amount: €40.00', 'Date: 2026-11-12'];
const opening = { question: 'When do you open?', answer: 'We open at nine.' };

describe('conversations of linked devices', { timeout: 360_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  const { db } = context;
  const startPool = () => rig.startPool({ ROLES: 'pool,worker' });
  let pool = await startPool();

  const link = async (bot: object = {}) => {
    const teamId = await addTeam(context);
    await sql`
      update teams set settings = '{"reply_delay_seconds": 0}' where id = ${teamId}`.execute(db);
    const { id: botId } = await addBot(rig, teamId, { questions: [opening], ...bot });
    assert.equal((await rig.api('POST', `/bots/${botId}/publish`)).status, 200);
    const phone = newPhone();
    return { phone, teamId, device: await rig.link(phone, { teamId, botId }) };
  };

  const list = async (path: string) => (await rig.api('GET', path)).body.data;

  const readReceived = async (from: string, phone: string) =>
    (await fake.received(from, phone)).map(({ text }) => text);

  /** Waits for messages of contacts, oldest first. */
  const waitForInbound = (device: string, count: number) =>
    eventually(async () => {
      const messages = await list(`/messages?device_id=${device}&direction=in`);
      assert.equal(messages.length, count);
      return messages.reverse();
    });

  const waitForConversation = (device: string) =>
    eventually(async () => {
      const found = await list(`/conversations?device_id=${device}`);
      assert.equal(found.length, 1);
      return found[0];
    });

  const waitForReceived = (from: string, phone: string, expected: RegExp) =>
    eventually(async () => assert.match((await readReceived(from, phone)).join('\n'), expected));

  const send = (device: string, to: string, message: string, more: object = {}) =>
    rig.api('POST', '/send', { body: { device_id: device, destination_number: to, message, ...more } });

  const files = [
    ['a photo with its caption', { kind: 'image', mimetype: 'image/png', caption: receipt.join('\n') }, png],
    [
      'a PDF',
      { kind: 'document', mimetype: 'application/pdf', fileName: 'receipt.pdf' },
      await makePdf([receipt.map((text, n) => ({ text, x: 72, y: 780 - 40 * n }))]),
    ],
  ] as const;
  for (const [what, media, bytes] of files) {
    test(`captures a payment from ${what}`, async () => {
      const { phone, teamId, device } = await link({ capture_payments: true });
      await fake.writeMedia({ from: contact, to: phone }, media, bytes);
      await waitForReceived(contact, phone, /kept your payment receipt/);
      const { id, flag } = await waitForConversation(device);
      assert.equal(flag, 'payment_captured');
      await eventually(async () => {
        const events = await list(`/events?team_id=${teamId}&types=payment.captured`);
        assert.deepEqual(
          events.map(({ data }: { data: { conversation_id: string } }) => data.conversation_id),
          [id],
        );
      });
      const { trace } = await db
        .selectFrom('answers')
        .select('trace')
        .where('device_id', '=', device)
        .executeTakeFirstOrThrow();
      assert.partialDeepStrictEqual(trace, {
        line: 'receipt_kept',
        payments: [{ amount: '€40.00', date: '2026-11-12', payer: 'Ana' }],
      });
    });
  }

  test('answers a contact whose number is unknown, and shows the conversation', async () => {
    const [{ phone, device }, stranger] = [await link(), '+15550198'];
    await fake.address(stranger, 'lid_only');
    await fake.write({ from: stranger, to: phone, text: opening.question });
    await waitForReceived(stranger, phone, /We open at nine/);
    const { id, contact_number, contact: shown } = await waitForConversation(device);
    assert.match(contact_number, /^lid:\d+$/);
    assert.equal(shown.number, null);
    const reply = await rig.api('POST', `/conversations/${id}/messages`, { body: { text: 'from a person' } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    await waitForReceived(stranger, phone, /from a person/);
  });

  test('continues the conversation of a LID under the number once the network reveals it', async () => {
    const [{ phone, device }, stranger] = [await link(), '+15550197'];
    await fake.address(stranger, 'lid_only');
    await fake.write({ from: stranger, to: phone, text: 'who am I?' });
    assert.match((await waitForConversation(device)).contact_number, /^lid:/);
    await fake.address(stranger, 'lid');
    await fake.write({ from: stranger, to: phone, text: 'now you know' });
    await waitForInbound(device, 2);
    assert.equal((await waitForConversation(device)).contact_number, stranger);
  });

  test('shows the answer from another form of the number in one conversation', async () => {
    const [{ phone, device }, dialled, account] = [await link(), '+5511987650001', '+551187650001'];
    assert.equal((await send(device, dialled, 'hello')).body.data.status, 'sent');
    await fake.write({ from: account, to: phone, text: opening.question });
    await waitForReceived(account, phone, /We open at nine/);
    assert.equal((await waitForConversation(device)).contact_number, dialled);
  });

  test('exports and erases a contact by an id of the network, and the contact can write again', async () => {
    const [{ phone, device }, stranger] = [await link(), '+15550196'];
    await fake.address(stranger, 'lid_only');
    await fake.write({ from: stranger, to: phone, text: opening.question });
    await waitForReceived(stranger, phone, /We open at nine/);
    const { contact_number: id } = await waitForConversation(device);
    const exported = (await rig.api('POST', `/contacts/${id}/export`, { body: {} })).body.data;
    assert.deepEqual(exported.messages.map(({ text }: { text: string }) => text).toSorted(), [
      opening.answer,
      opening.question,
    ]);
    const erased = (await rig.api('POST', `/contacts/${id}/erase`, { body: {} })).body.data;
    assert.deepEqual([erased.conversations, erased.messages, erased.answers], [1, 2, 1]);
    assert.deepEqual(await list(`/conversations?device_id=${device}`), []);
    pool.child.kill('SIGTERM');
    await pool.ended;
    pool = await startPool();
    await rig.until(device, ({ connected }) => connected === true);
    await fake.write({ from: stranger, to: phone, text: 'me again' });
    const [message] = await waitForInbound(device, 1);
    assert.deepEqual([message.text, message.contact_number], ['me again', id]);
  });

  test('shows edits, deletions and reactions with the message that they are about', async () => {
    const { phone, device } = await link();
    const chat = { from: contact, to: phone };
    const id = await fake.write({ ...chat, text: 'at nine' });
    const [written] = await waitForInbound(device, 1);
    // An edit before the answer would change the message itself.
    await eventually(async () => assert.equal((await list(`/messages?device_id=${device}`)).length, 2));
    const about = { key: { id } };
    const edited = { ...about, type: 14, editedMessage: { conversation: 'at ten' } };
    await fake.writeContent(chat, { protocolMessage: edited });
    await fake.writeContent(chat, { reactionMessage: { ...about, text: '👍' } });
    await fake.writeContent(chat, { protocolMessage: { ...about, type: 0 } });
    const [changed, ...changes] = await waitForInbound(device, 4);
    assert.deepEqual(changed.details, { corrected: true, deleted: true });
    assert.deepEqual(
      changes.map(({ text, details }: { text: string; details: object }) => ({ text, ...details })),
      [
        { text: '[edited] at ten', type: 'edit', message_id: written.id, deleted: true },
        { text: '[reaction 👍]', type: 'reaction', emoji: '👍', message_id: written.id },
        { text: '[deleted a message]', type: 'deletion', message_id: written.id },
      ],
    );
  });

  test('answers neither a message that the contact deletes first nor the first text of an edited one', async () => {
    const { phone, teamId, device } = await link();
    await sql`update teams set settings = '{"reply_delay_seconds": 30}' where id = ${teamId}`.execute(db);
    const chat = { from: contact, to: phone };
    const [deleted, edited] = [
      await fake.write({ ...chat, text: 'my card is 4111' }),
      await fake.write({ ...chat, text: 'hello' }),
    ];
    await fake.writeContent(chat, { protocolMessage: { key: { id: deleted }, type: 0 } });
    const editedMessage = { conversation: opening.question };
    await fake.writeContent(chat, { protocolMessage: { key: { id: edited }, type: 14, editedMessage } });
    await waitForInbound(device, 4);
    await sql`update conversations set answer_due_at = now() where device_id = ${device}`.execute(db);
    await waitForReceived(contact, phone, /We open at nine/);
    const shown = (await waitForInbound(device, 4)).slice(0, 2);
    assert.deepEqual(
      shown.map(({ text, outcome }: { text: string; outcome: string }) => [text, outcome]),
      [
        ['my card is 4111', 'deleted'],
        [opening.question, 'answered'],
      ],
    );
  });

  test('pauses the bot when a person answers from the linked phone', async () => {
    const { phone, device } = await link();
    await fake.write({ from: contact, to: phone, text: opening.question });
    await waitForReceived(contact, phone, /We open at nine/);
    await fake.write({ from: phone, to: contact, text: 'I take over' });
    await eventually(async () => assert.equal((await waitForConversation(device)).state, 'paused'));
    const { id } = await waitForConversation(device);
    const texts = (await list(`/conversations/${id}/messages`)).map(({ text }: { text: string }) => text);
    assert.ok(texts.includes('I take over'));
  });

  test('receives the first message after an advertisement from the phone', async () => {
    const { phone, device } = await link();
    await fake.writePlaceholder({ from: contact, to: phone, text: 'I saw your advertisement' });
    const [message] = await waitForInbound(device, 1);
    assert.equal(message.text, 'I saw your advertisement');
  });

  test('sends a stored message again after a restart when the contact requests it', async () => {
    const { phone, device } = await link();
    const sent = await send(device, contact, 'again, please');
    const id = sent.body.data.messageId.replaceAll('-', '').toUpperCase();
    const countCopies = async () =>
      (await fake.journal()).filter((entry) => entry.type === 'sent' && entry.id === id).length;
    assert.equal(await countCopies(), 1);
    pool.child.kill('SIGTERM');
    await pool.ended;
    pool = await startPool();
    await rig.until(device, ({ connected }) => connected === true);
    await fake.receipt(phone, contact, id, 'retry');
    await eventually(async () => assert.equal(await countCopies(), 2));
  });

  test('refuses a new chat of a restricted account and holds another one until the restriction ends', async () => {
    const { phone, device } = await link();
    await fake.write({ from: contact, to: phone, text: opening.question });
    await waitForReceived(contact, phone, /We open at nine/);
    await fake.injectFault(phone, 'restrict');
    const refused = await send(device, '+15550991', 'a cold message');
    assert.equal(refused.status, 400);
    assert.equal(refused.body.details.reason, 'device_restricted');
    const status = await rig.until(
      device,
      ({ restrictions }) => Array.isArray(restrictions) && restrictions.length > 0,
    );
    assert.deepEqual((await send(device, '+15550992', 'another one')).body.details, {
      reason: 'device_restricted',
      until: (status['restrictions'] as { until: string }[])[0]?.until,
    });
    const held = await send(device, '+15550993', 'held', { when_restricted: 'hold' });
    assert.equal(held.body.data.status, 'accepted');
    assert.equal((await send(device, contact, 'to a known contact')).body.data.status, 'sent');
    assert.deepEqual(await readReceived('+15550993', phone), []);
    await fake.injectFault(phone, 'lift_restriction');
    await waitForReceived('+15550993', phone, /^held$/);
    const attempts = (await fake.journal()).filter(
      (entry) => entry.type === 'refused' && entry.device === phone,
    );
    assert.equal(attempts.length, 1);
  });

  test('reports a suspension with its end', async () => {
    const { phone, device } = await link();
    await fake.injectFault(phone, 'fail_402');
    const status = await rig.until(device, (now) => now['last_disconnect_reason'] === 'suspended');
    assert.equal(status['logged_in'], true);
    const [restriction] = status['restrictions'] as { until: string }[];
    assert.ok(Date.parse(restriction?.until ?? '') > Date.now() + 3_000_000);
  });
});
