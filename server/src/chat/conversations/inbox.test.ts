import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { Conversation } from './conversations.schemas.ts';

const app = await startChatApp();
const { api, context } = app;
const { db } = context;
const contact = '+491715550199';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

async function list(query: Record<string, string>, teamId?: string): Promise<Conversation[]> {
  const key = teamId === undefined ? {} : { token: (await app.issueKey({ teamId })).token };
  const { status, body } = await api('GET', `/conversations?${new URLSearchParams(query)}`, key);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const numbersOf = (conversations: Conversation[]) =>
  conversations.map(({ contact_number }) => contact_number).toSorted();

async function act(desk: ChatDevice, action: string, number = contact) {
  const { id } = await app.readConversation(desk, number);
  return api('POST', `/conversations/${id}/${action}`);
}

/** Registers a pool, as `POST /conversations/{id}/messages` needs one. */
const connect = ({ deviceId }: ChatDevice) =>
  sql`
    with pool as (
      insert into pools (id, url, capacity, lease_until)
      values (${newId()}, ${`http://127.0.0.1:${deviceId}`}, 9, now() + interval '1 hour') returning id
    )
    update devices set status = 'started', connected = true, pool_id = pool.id from pool where devices.id = ${deviceId}`.execute(
    db,
  );

const unpublish = ({ botId }: ChatDevice) =>
  sql`update bots set live_version = null, published = false where id = ${botId}`.execute(db);
const publish = ({ botId }: ChatDevice) =>
  sql`update bots set live_version = 1, published = true where id = ${botId}`.execute(db);

test('shows the last message, the number of unread messages, the team and the device', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  await app.write(desk, contact, 'Hello');
  await app.write(desk, contact, 'x'.repeat(200));
  const [row] = await list({ team_id: desk.teamId });
  assert.deepEqual(
    [row?.unread, row?.last_message?.text, row?.last_message?.direction, row?.last_message?.kind],
    [2, 'x'.repeat(160), 'in', 'text'],
  );
  assert.deepEqual([row?.team_name, row?.device_name], ['Harbour bicycles', 'Desk']);
  assert.equal((await act(desk, 'read')).body.data.unread, 0);
  assert.deepEqual(await list({ team_id: desk.teamId, unread: 'true' }), []);
  await app.write(desk, contact, 'One more');
  const [again] = await list({ team_id: desk.teamId, unread: 'true' });
  assert.deepEqual([again?.unread, again?.last_message?.text], [1, 'One more']);
  await app.write(desk, contact, 'I am here', { fromMe: true });
  const [read] = await list({ team_id: desk.teamId, unread: 'false' });
  assert.deepEqual([read?.unread, read?.last_message?.origin], [0, 'person']);
});

test('finds conversations by words, and by a part of the number in local formats', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  const other = await app.addDevice({}, { reply_delay_seconds: 600 });
  await app.write(desk, '+491715550101', 'Do you take the VOUCHER of shop@harbour.example?');
  await app.write(desk, '+491715550102', 'Two tandems, please');
  await app.write(desk, '+34600555010', 'Größe 44, order 12-34.x');
  await app.write(other, '+491715550999', 'A voucher');
  const find = async (q: string) => numbersOf(await list({ team_id: desk.teamId, q }));
  for (const q of [
    'voucher',
    'Vouch',
    'take voucher',
    'harbour',
    'shop@harbour.example',
    '0171 555 0101',
    '(0171) 5550101',
  ])
    assert.deepEqual(await find(q), ['+491715550101'], q);
  for (const q of ['größe', '12-34', '1234 x', '600555', '+34 600-55'])
    assert.deepEqual(await find(q), q === '1234 x' ? [] : ['+34600555010'], q);
  assert.deepEqual(
    await find('55501'),
    ['+34600555010', '+491715550101', '+491715550102'].filter((n) => n.includes('55501')).toSorted(),
  );
  for (const q of ['oucher', 'voucher tandem', "'", '!', '\\', "x' | 'y", '%', '00'])
    assert.deepEqual(await find(q), [], q);
  assert.deepEqual(numbersOf(await list({ q: 'voucher' }, other.teamId)), ['+491715550999']);
  assert.deepEqual(numbersOf(await list({ q: 'voucher' })), ['+491715550101', '+491715550999']);
  for (const q of ['', 'x'.repeat(101), 'a\u0000'])
    assert.equal((await api('GET', `/conversations?${new URLSearchParams({ q })}`)).status, 400, q);
});

test('filters by flag, outcome and bot', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  await unpublish(desk);
  await app.write(desk, contact, 'Hello');
  await publish(desk);
  await app.write(desk, '+491715550102', 'Hello');
  const find = async (query: Record<string, string>) =>
    numbersOf(await list({ team_id: desk.teamId, ...query }));
  for (const query of [
    { flag: 'bot_not_published' },
    { flag: 'unanswered' },
    { flag: 'any' },
    { outcome: 'bot_not_published' },
  ])
    assert.deepEqual(await find(query as Record<string, string>), [contact], JSON.stringify(query));
  assert.deepEqual(await find({ flag: 'human_requested' }), []);
  assert.deepEqual(await find({ outcome: 'waiting' }), ['+491715550102']);
  assert.equal((await find({ bot_id: desk.botId })).length, 2);
  assert.deepEqual(await find({ bot_id: newId() }), []);
  assert.equal((await api('GET', '/conversations?flag=no')).status, 400);
});

test('ends the flag with the reply of a person, in the console and on the linked phone', async () => {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  await connect(desk);
  await app.write(desk, contact, 'Hello');
  const flag = () =>
    sql`update conversations set flag = 'human_requested' where device_id = ${desk.deviceId}`.execute(db);
  await flag();
  const { id } = await app.readConversation(desk, contact);
  assert.equal((await act(desk, 'pause')).body.data.flag, 'human_requested', 'a pause is no reply');
  const sent = await api('POST', `/conversations/${id}/messages`, { body: { text: 'I am here' } });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  assert.equal((await app.readConversation(desk, contact)).flag, null);
  await flag();
  await app.write(desk, contact, 'At nine', { fromMe: true });
  assert.equal((await app.readConversation(desk, contact)).flag, null);
});

test('closes a conversation until the next message', async () => {
  const desk = await app.addDevice(opening, { reply_delay_seconds: 600 });
  await app.write(desk, contact, 'When do you open?');
  await act(desk, 'pause');
  await sql`update conversations set flag = 'human_requested' where device_id = ${desk.deviceId}`.execute(db);
  const { data } = (await act(desk, 'close')).body;
  assert.deepEqual([data.state, data.flag, data.unread], ['closed', undefined, 0]);
  assert.equal((await list({ team_id: desk.teamId, state: 'closed' })).length, 1);
  assert.deepEqual(await list({ team_id: desk.teamId, state: 'bot' }), []);
  await app.write(desk, contact, 'When do you open?');
  const [open] = await list({ team_id: desk.teamId, state: 'bot' });
  assert.equal(open?.unread, 1);
  assert.notEqual((await app.readConversation(desk, contact)).answer_due_at, null);
});

test('answers at once what waited until the bot was published', async () => {
  const desk = await app.addDevice(opening, { reply_delay_seconds: 600 });
  await unpublish(desk);
  await app.write(desk, contact, 'When do you open?');
  const refuse = async (reason: string) => {
    const { status, body } = await act(desk, 'answer');
    assert.deepEqual([status, body.details?.reason], [400, reason]);
  };
  await refuse('bot_not_published');
  await publish(desk);
  await act(desk, 'pause');
  await refuse('conversation_paused');
  await act(desk, 'resume');
  const { status, body } = await act(desk, 'answer');
  assert.deepEqual([status, body.data.flag], [200, undefined]);
  const worker = app.startAnswering();
  assert.deepEqual(await app.untilReplied(desk, contact), ['We open at nine.']);
  await worker.close();
  await refuse('nothing_to_answer');
  assert.equal(await app.creditsUsed(desk), 1);
});
