import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeam } from '../../../test/bots.ts';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { deleteTeam } from '../../lifecycle/team-deletion/delete-team.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startChatApp();
const { api, context } = app;
const { db } = context;

const contact = '+15550199';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

/** Registers a pool whose lease ends in `leaseSeconds`. */
const connect = ({ deviceId }: ChatDevice, leaseSeconds = 600) =>
  sql`
    with pool as (
      insert into pools (id, url, capacity, lease_until)
      values (${newId()}, 'http://127.0.0.1:1', 9, now() + make_interval(secs => ${leaseSeconds})) returning id
    )
    update devices set connected = true, pool_id = pool.id from pool where devices.id = ${deviceId}`.execute(
    db,
  );
const idOf = async (desk: ChatDevice) => (await app.readConversation(desk, contact)).id;
const contactsOf = (conversations: { contact_number: string }[]) =>
  conversations.map(({ contact_number }) => contact_number);

test('lists conversations newest first, by team, device and state, in pages', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  const other = await app.addDevice({}, { reply_delay_seconds: 60 });
  for (const number of ['+15550001', '+15550002', '+15550003']) {
    await app.write(desk, number, 'Hello');
  }
  await app.write(other, '+15550004', 'Hello');
  await app.write(desk, '+15550001', 'Hello again');
  const list = async (query: string) => (await api('GET', `/conversations?${query}`)).body;
  const ofTeam = await list(`team_id=${desk.teamId}`);
  assert.deepEqual(contactsOf(ofTeam.data), ['+15550003', '+15550002', '+15550001']);
  assert.deepEqual(ofTeam.meta, { page: 1, limit: 20, total: 3, totalPages: 1 });
  assert.deepEqual(contactsOf((await list(`device_id=${other.deviceId}`)).data), ['+15550004']);
  assert.deepEqual(contactsOf((await list(`team_id=${desk.teamId}&limit=1&page=2`)).data), ['+15550002']);
  const [first] = ofTeam.data;
  await api('POST', `/conversations/${first.id}/pause`);
  assert.deepEqual(contactsOf((await list(`team_id=${desk.teamId}&state=paused`)).data), ['+15550003']);
  assert.deepEqual(contactsOf((await list(`team_id=${desk.teamId}&state=bot`)).data), [
    '+15550002',
    '+15550001',
  ]);
  await sql`update conversations set paused_until = now() - interval '1 second' where id = ${first.id}`.execute(
    db,
  );
  assert.deepEqual((await list(`team_id=${desk.teamId}&state=paused`)).data, []);
  await sql`
    update conversations set created_at = created_at + interval '1 hour' where id = ${ofTeam.data[1].id}`.execute(
    db,
  );
  assert.deepEqual(
    contactsOf((await list(`team_id=${desk.teamId}`)).data),
    ['+15550002', '+15550003', '+15550001'],
    'newest by the time of creation',
  );
  assert.deepEqual((await list(`team_id=${newId()}`)).data, []);
});

test('lists conversations by their newest message, page by page', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  for (const number of ['+15550001', '+15550002', '+15550001']) await app.write(desk, number, 'Hello');
  const list = async (sort: string) =>
    contactsOf((await api('GET', `/conversations?team_id=${desk.teamId}&sort=${sort}`)).body.data);
  assert.deepEqual(await list('last_message_at'), ['+15550001', '+15550002']);
  assert.deepEqual(await list('created_at'), ['+15550002', '+15550001']);
  await app.write(desk, '+15550003', 'Hello');
  const query = `team_id=${desk.teamId}&sort=last_message_at&limit=2`;
  const { body: first } = await api('GET', `/conversations?${query}&after=`);
  assert.deepEqual(contactsOf(first.data), ['+15550003', '+15550001']);
  await app.write(desk, '+15550003', 'Hello again');
  const { body: second } = await api('GET', `/conversations?${query}&after=${first.meta.next_cursor}`);
  assert.deepEqual([contactsOf(second.data), second.meta.next_cursor], [['+15550002'], null]);
});

test('finds a conversation by its id, and conversations by the beginning of the number', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  for (const number of ['+15559101', '+15559102', '+15558101']) await app.write(desk, number, 'Hello');
  const find = async (number: string) =>
    (await api('GET', `/conversations?team_id=${desk.teamId}&contact_number=${encodeURIComponent(number)}`))
      .body;
  assert.deepEqual(contactsOf((await find('+15559')).data), ['+15559102', '+15559101']);
  assert.deepEqual(contactsOf((await find('15558101')).data), ['+15558101']);
  assert.deepEqual((await find('5559')).data, []);
  assert.equal((await api('GET', '/conversations?contact_number=%25')).status, 400);

  const [first] = (await find('+15558101')).data;
  assert.deepEqual((await api('GET', `/conversations/${first.id}`)).body.data, first);
});

test('lists the messages of one chat, newest first', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  await app.write(desk, contact, 'One');
  await app.write(desk, '+15550198', 'Another chat');
  await app.write(desk, contact, 'Two');
  const { body } = await api('GET', `/conversations/${await idOf(desk)}/messages`);
  assert.deepEqual(
    body.data.map(({ text }: { text: string }) => text),
    ['Two', 'One'],
  );
  assert.equal(body.meta.total, 2);
});

test("a person's reply is accepted and pauses the bot for the team's time", async () => {
  const desk = await app.addDevice(opening, { reply_delay_seconds: 60, human_takeover_minutes: 15 });
  await connect(desk);
  await app.write(desk, contact, 'When do you open?');
  const id = await idOf(desk);
  const due: string[] = [];
  context.notifications.subscribe('message-due', (device) => due.push(device));
  const { status, body } = await api('POST', `/conversations/${id}/messages`, {
    body: { text: 'At eight, today.' },
  });
  assert.equal(status, 200);
  assert.deepEqual(
    [body.data.direction, body.data.origin, body.data.status, body.data.text],
    ['out', 'person', 'accepted', 'At eight, today.'],
  );
  assert.deepEqual(due, [desk.deviceId]);
  const conversation = await app.readConversation(desk, contact);
  assert.deepEqual([conversation.state, conversation.answer_due_at], ['paused', null]);
  const minutes = ((conversation.paused_until?.getTime() ?? 0) - Date.now()) / 60_000;
  assert.ok(minutes > 14 && minutes <= 15);
  assert.equal((await app.readChat(desk, contact))[0]?.status, 'ignored');
});

test('sends nothing again for the same Idempotency-Key', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  await connect(desk);
  await app.write(desk, contact, 'Hello');
  const call = async () =>
    api('POST', `/conversations/${await idOf(desk)}/messages`, {
      body: { text: 'Hi' },
      headers: { 'idempotency-key': 'once' },
    });
  assert.deepEqual((await call()).body, (await call()).body);
  assert.equal((await app.readChat(desk, contact)).length, 2);
});

test('rejects a reply that cannot be sent', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  await app.write(desk, contact, 'Hello');
  const id = await idOf(desk);
  const reasonOf = async (text = 'Hi') =>
    (await api('POST', `/conversations/${id}/messages`, { body: { text } })).body.details?.reason;
  assert.equal(await reasonOf(), 'device_not_connected');
  assert.equal(await reasonOf(' \n '), 'validation');
  await connect(desk, -1);
  assert.equal(await reasonOf(), 'device_not_connected', 'its pool is lost');
  await connect(desk);
  await sql`update teams set banned = true where id = ${desk.teamId}`.execute(db);
  assert.equal(await reasonOf(), 'team_banned');
  assert.equal((await app.readChat(desk, contact)).length, 1);
});

test('a pause lasts until resumed, and a shorter pause does not end a longer one', async () => {
  const desk = await app.addDevice(opening);
  await connect(desk);
  await sql`update teams set settings = settings || '{"reply_delay_seconds": 60}' where id = ${desk.teamId}`.execute(
    db,
  );
  await app.write(desk, contact, 'When do you open?');
  const id = await idOf(desk);
  const paused = await api('POST', `/conversations/${id}/pause`);
  assert.equal(paused.body.data.state, 'paused');
  assert.equal(paused.body.data.paused_until, undefined);
  await api('POST', `/conversations/${id}/messages`, { body: { text: 'A person here' } });
  assert.equal((await app.readConversation(desk, contact)).paused_until, null);
  await app.write(desk, contact, 'Thanks');
  assert.deepEqual(
    (await app.readChat(desk, contact)).map(({ status }) => status),
    ['ignored', 'accepted', 'ignored'],
  );
  const resumed = await api('POST', `/conversations/${id}/resume`);
  assert.equal(resumed.body.data.state, 'bot');
  await sql`update teams set settings = settings || '{"reply_delay_seconds": 0}' where id = ${desk.teamId}`.execute(
    db,
  );
  const worker = app.startAnswering();
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact, 2);
  await worker.close();
});

test('the bot does not answer messages that a person answered from the phone', async () => {
  const desk = await app.addDevice(opening, { reply_delay_seconds: 60 });
  await app.write(desk, contact, 'When do you open?');
  await app.write(desk, contact, 'At eight', { fromMe: true });
  assert.deepEqual(
    (await app.readChat(desk, contact)).map(({ status }) => status),
    ['ignored', 'sent'],
  );
});

test('resuming clears the flag human_requested and keeps other flags', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  await app.write(desk, contact, 'Hello');
  const id = await idOf(desk);
  for (const [flag, after] of [
    ['human_requested', undefined],
    ['payment_captured', 'payment_captured'],
  ]) {
    await sql`update conversations set flag = ${flag} where id = ${id}`.execute(db);
    assert.equal((await api('POST', `/conversations/${id}/resume`)).body.data.flag, after);
  }
});

test('another team’s conversations are not found', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  await connect(desk);
  await app.write(desk, contact, 'Hello');
  const id = await idOf(desk);
  const { token } = await app.issueKey({ teamId: await addTeam(context) });
  const calls: [string, string, object?][] = [
    ['GET', 'messages'],
    ['POST', 'messages', { text: 'Hi' }],
    ['POST', 'pause'],
    ['POST', 'resume'],
  ];
  for (const [method, path, body] of calls) {
    for (const target of [id, newId(), 'nothing']) {
      const { status, body: answer } = await api(method, `/conversations/${target}/${path}`, { token, body });
      assert.deepEqual(
        [status, answer.details?.reason],
        [404, 'conversation_not_found'],
        `${method} ${path}`,
      );
    }
  }
  assert.deepEqual((await api('GET', '/conversations', { token })).body.data, []);
  const own = await app.issueKey({ teamId: desk.teamId });
  assert.equal((await api('GET', '/conversations', { token: own.token })).body.data.length, 1);
});

test('a reply concurrent with the deletion of its team is accepted before it', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 60 });
  await app.write(desk, contact, 'Hello');
  await connect(desk);
  const id = await idOf(desk);
  const asked = await db.transaction().execute(async (tx) => {
    await sql`select from messages where device_id = ${desk.deviceId} for update`.execute(tx);
    const answer = api('POST', `/conversations/${id}/messages`, { body: { text: 'A person' } });
    await waitForLockWaiter(db, 'messages');
    const deletion = db.transaction().execute((other) => deleteTeam(other, desk.teamId));
    await waitForLockWaiter(db, 'from teams');
    return { answer, deletion };
  });
  assert.equal((await asked.answer).status, 200);
  assert.equal((await asked.deletion).id, desk.teamId);
});
