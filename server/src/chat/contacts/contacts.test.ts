import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createActionCaller } from '../answering/call-action.ts';
import type { Contact } from './contacts.schemas.ts';
import { deleteExpiredContactRows, mergeContact } from './contacts.sql.ts';

const base = await startTestApp();
const app = {
  ...base,
  ...createChats({
    ...base,
    bots: createTestBots(base.context),
    callAction: createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) }),
  }),
};
const { api, context } = app;
const { db } = context;
const number = '+15550177001';
const waiting = { reply_delay_seconds: 600 };
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

const pathOf = (contact: string) => `/contacts/${encodeURIComponent(contact)}`;

async function read(teamId: string, contact = number): Promise<Contact> {
  const { status, body } = await api('GET', `${pathOf(contact)}?team_id=${teamId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const change = (teamId: string, members: object, contact = number) =>
  api('PATCH', pathOf(contact), { body: { team_id: teamId, ...members } });

async function find(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await api('GET', `/contacts?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map((contact: Contact) => contact.contact_number);
}

test('knows a contact from the first message on, by the name of the network and then by that of the team', async () => {
  const desk = await app.addDevice({}, waiting);
  const { teamId } = desk;
  assert.deepEqual(await read(teamId), {
    team_id: teamId,
    contact_number: number,
    name: null,
    network_name: null,
    fields: {},
    labels: [],
    note: '',
    blocked: false,
    created_at: null,
    updated_at: null,
  });
  await app.write(desk, number, 'Hello', { contactName: ' Ines M. ' });
  const written = await read(teamId);
  assert.deepEqual(
    [written.name, written.network_name, written.created_at !== null],
    [null, 'Ines M.', true],
  );
  await app.write(desk, number, 'Hello again');
  await app.write(desk, number, 'Me', { fromMe: true });
  assert.equal((await read(teamId)).network_name, 'Ines M.');
  await app.write(desk, number, 'New name', { contactName: 'Ines Martins' });
  const listed = async () => (await api('GET', `/conversations?team_id=${teamId}`)).body.data[0].contact.name;
  assert.equal(await listed(), 'Ines Martins');
  const { status, body } = await change(teamId, {
    name: 'Ines (tandem)',
    fields: { bicycle: 'Tandem' },
    labels: ['regular', 'regular', 'summer'],
    note: 'Afternoons.',
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.data.labels, ['regular', 'summer']);
  assert.equal(await listed(), 'Ines (tandem)');
  assert.equal((await change(teamId, { name: null })).body.data.note, 'Afternoons.');
  assert.equal(await listed(), 'Ines Martins');
  const untouched = await change(teamId, {});
  assert.deepEqual(untouched.body.data.fields, { bicycle: 'Tandem' });
});

test('lists contacts of the scope, and finds them by names, labels and parts of the number', async () => {
  const [desk, other] = [await app.addDevice({}, waiting), await app.addDevice({}, waiting)];
  const { teamId } = desk;
  await app.write(desk, '+4917155501', 'Hello', { contactName: 'Jürgen Großmann' });
  await app.write(other, '+4917155501', 'Hello', { contactName: 'Jürgen elsewhere' });
  await change(teamId, { name: '100% Ana_B', labels: ['vip'] }, '+34600777');
  for (const [q, found] of [
    ['jürg', ['+4917155501']],
    ['großmann jürgen', ['+4917155501']],
    ['elsewhere', []],
    ['0171 555', ['+4917155501']],
    ['100%', ['+34600777']],
    ['a_b', ['+34600777']],
    ['a%b', []],
    ["'", []],
  ] as const)
    assert.deepEqual(await find({ team_id: teamId, q }), found, q);
  assert.deepEqual(await find({ team_id: teamId, label: 'vip' }), ['+34600777']);
  assert.deepEqual(await find({ team_id: teamId, blocked: 'true' }), []);
  assert.deepEqual(await find({ team_id: teamId, limit: '1' }), ['+34600777']);
  const conversations = await api('GET', `/conversations?team_id=${teamId}&q=Großmann`);
  assert.equal(conversations.body.data.length, 1);
  const { token } = await app.issueKey({ teamId });
  const own = await api('GET', '/contacts', { token });
  assert.equal(own.body.meta.total, 2);
  const foreign = await api('GET', `${pathOf(number)}?team_id=${other.teamId}`, { token });
  assert.equal(foreign.status, 400);
  assert.equal((await api('GET', pathOf('+34600777'))).body.data.team_id, teamId);
  assert.equal((await api('GET', pathOf('+34600778'))).body.data.team_id, null);
  const update = await api('PATCH', pathOf(number), { body: { note: 'x' } });
  assert.equal(update.body.details.issues[0].path, 'team_id');
});

test('stores messages of a blocked contact, and the bot answers none of them', async () => {
  const desk = await app.addDevice(opening);
  await app.write(desk, number, 'When do you open?');
  assert.equal((await change(desk.teamId, { blocked: true })).status, 200);
  await app.write(desk, number, 'When do you open?');
  const outcomes = async () =>
    (await api('GET', `/messages?device_id=${desk.deviceId}`)).body.data.map(
      ({ outcome }: { outcome: string }) => outcome,
    );
  assert.deepEqual(await outcomes(), ['contact_blocked', 'contact_blocked']);
  const { id, answer_due_at: due } = await app.readConversation(desk, number);
  const answer = await api('POST', `/conversations/${id}/answer`);
  assert.equal(answer.body.details.reason, 'contact_blocked');
  await change(desk.teamId, { blocked: false });
  const worker = app.startAnswering();
  await app.write(desk, number, 'When do you open?');
  assert.deepEqual(await app.untilReplied(desk, number), ['We open at nine.']);
  await worker.close();
  assert.equal(await app.creditsUsed(desk), 1);
  assert.notEqual(due, undefined);
});

test('keeps what the team knew about both when a contact turns out to be another one', async () => {
  const { teamId } = await app.addDevice({}, waiting);
  await change(teamId, { note: 'First', labels: ['a'], fields: { x: '1' }, blocked: true }, 'lid:44');
  await change(teamId, { note: 'Second', labels: ['b', 'a'], name: 'Ana', fields: { x: '2', y: '3' } });
  await db.transaction().execute((tx) => mergeContact(tx, teamId, 'lid:44', number));
  const { name, note, labels, fields, blocked } = await read(teamId);
  assert.deepEqual(
    [name, note, labels, fields, blocked],
    ['Ana', 'Second\nFirst', ['a', 'b'], { x: '2', y: '3' }, true],
  );
  assert.deepEqual(await find({ team_id: teamId }), [number]);
});

test('forgets contacts without a conversation after the retention, and all of an erased contact', async () => {
  const desk = await app.addDevice({}, waiting);
  const { teamId } = desk;
  await app.write(desk, number, 'Hello', { contactName: 'Ines' });
  await change(teamId, { name: 'Old' }, '+15550177002');
  await sql`update contacts set updated_at = now() - interval '2 days' where team_id = ${teamId}`.execute(db);
  const expired = { teamId, before: new Date(Date.now() - 86_400_000), limit: 10 };
  assert.equal(await deleteExpiredContactRows(db, expired), 1);
  assert.deepEqual(await find({ team_id: teamId }), [number]);
  await change(teamId, { note: 'A secret', fields: { a: 'b' } });
  const { id } = await app.readConversation(desk, number);
  await api('POST', `/conversations/${id}/notes`, { body: { text: 'Beware of the dog' } });
  await api('POST', `/conversations/${id}/labels`, { body: { labels: ['dog'] } });
  const exported = await api('POST', `${pathOf(number)}/export`, { body: { team_id: teamId } });
  assert.deepEqual(
    [
      exported.body.data.known[0].note,
      exported.body.data.notes[0].text,
      exported.body.data.conversations[0].labels,
    ],
    ['A secret', 'Beware of the dog', ['dog']],
  );
  await api('POST', `${pathOf(number)}/erase`, { body: { team_id: teamId } });
  assert.equal((await read(teamId)).created_at, null);
  const { rows } = await sql`select from notes where team_id = ${teamId}`.execute(db);
  assert.equal(rows.length, 0);
  const audited = await api('GET', `/audit-log?team_id=${teamId}`);
  for (const text of ['A secret', 'Beware', number.slice(1)])
    assert.ok(!JSON.stringify(audited.body).includes(text), text);
});

test('refuses what does not fit, and names it', async () => {
  const { teamId } = await app.addDevice({}, waiting);
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field ${index}`, 'x']));
  for (const [members, path] of [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ note: 'x'.repeat(4001) }, 'note'],
    [{ labels: Array(21).fill('x') }, 'labels'],
    [{ labels: ['x'.repeat(41)] }, 'labels[0]'],
    [{ fields: { '': 'x' } }, 'fields'],
    [{ fields: { ['x'.repeat(61)]: 'x' } }, 'fields'],
    [{ fields: { 'a\0': 'x' } }, 'fields'],
    [{ fields: { a: 'x'.repeat(501) } }, 'fields'],
    [{ fields: fields(51) }, 'fields'],
    [{ blocked: 'yes' }, 'blocked'],
    [{ colour: 'red' }, 'colour'],
  ] as const) {
    const { status, body } = await change(teamId, members);
    assert.equal(status, 400, path);
    assert.ok(
      body.details.issues.some((issue: { path: string }) => issue.path.startsWith(path)),
      `${path}: ${JSON.stringify(body)}`,
    );
  }
  assert.equal((await change(teamId, { fields: fields(50), note: 'x'.repeat(4000) })).status, 200);
  assert.equal((await change(teamId, {}, 'success')).status, 400);
});
