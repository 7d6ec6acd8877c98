import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeam } from '../../../test/bots.ts';
import { startTestApp } from '../../../test/harness.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { newId } from '../../platform/shared/ids.ts';
import { conversationRoutes } from '../conversations/conversations.routes.ts';
import { selectMessages } from './messages.queries.ts';
import { messageRoutes } from './messages.routes.ts';
import type { ListMessages, MessageRecord } from './messages.schemas.ts';
import { enqueueReplies } from './outbox.ts';

const { api, context } = await startTestApp({ routes: (f) => [messageRoutes(f), conversationRoutes(f)] });
const { db } = context;

const contact = '+15550199';

interface Chat {
  teamId: string;
  deviceId: string;
}

async function addChat(teamId: string): Promise<Chat & { conversationId: string }> {
  const [deviceId, conversationId] = [newId(), newId()];
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${conversationId}, ${teamId}, ${deviceId}, ${contact})`.execute(db);
  return { teamId, deviceId, conversationId };
}

/** Adds messages of four contacts. Ids and times are in different orders, and some times are equal to the millisecond. */
const addMessages = ({ teamId, deviceId }: Chat, count: number) =>
  sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                          created_at)
    select gen_random_uuid(), ${teamId}, ${deviceId}, '+1555019' || 9 - n % 4,
           (array['in', 'out'])[1 + n % 2], (array['contact', 'bot'])[1 + n % 2], 'text', 'Message ' || n, gen_random_uuid()::text,
           (array['answered', 'sent', 'ignored', 'refused'])[1 + n % 4],
           '2026-03-01'::timestamptz + make_interval(secs => (n * n % 31)::float / 1000)
    from generate_series(1, ${count}::int) n`.execute(db);

type ListedMessage = Pick<MessageRecord, 'id' | 'created_at'>;

const assertNewestFirst = (messages: readonly ListedMessage[]) =>
  assert.deepEqual(
    messages.map(({ id, created_at }) => `${created_at} ${id}`),
    messages
      .map(({ id, created_at }) => `${created_at} ${id}`)
      .sort()
      .reverse(),
  );

test('lists messages newest first by created_at, whatever the order of insertion', async () => {
  const teamId = await addTeam(context);
  const chat = await addChat(teamId);
  await addMessages(chat, 90);
  const read = async (path: string) => {
    const { status, body } = await api('GET', path);
    assert.equal(status, 200);
    assertNewestFirst(body.data);
    return body.data.map(({ id }: ListedMessage) => id);
  };
  for (const query of ['', `team_id=${teamId}`, `device_id=${chat.deviceId}`, 'direction=in']) {
    const whole = await read(`/messages?limit=100&${query}`);
    assert.equal(whole.length, query === 'direction=in' ? 45 : 90);
    const inPages = [];
    for (const page of [1, 2, 3]) inPages.push(...(await read(`/messages?limit=30&page=${page}&${query}`)));
    assert.deepEqual(inPages, whole);
  }
  const path = `/conversations/${chat.conversationId}/messages`;
  const ofChat = await read(path);
  assert.equal(ofChat.length, 20);
  assert.deepEqual(await read(`${path}?limit=7&page=2`), ofChat.slice(7, 14));
});

test('finds messages by a number in any accepted format, even with the + decoded as a space', async () => {
  const chat = await addChat(await addTeam(context));
  await addMessages(chat, 8);
  const found = async (number: string) => {
    const { status, body } = await api(
      'GET',
      `/messages?device_id=${chat.deviceId}&contact_number=${number}`,
    );
    assert.equal(status, 200);
    return body.data.map(({ contact_number }: MessageRecord) => contact_number);
  };
  for (const number of ['%2B15550199', '15550199', '+15550199', '%2015550199']) {
    assert.deepEqual(await found(number), [contact, contact], number);
  }
  for (const number of ['1555019', '++15550199', '0199', 'x15550199']) {
    assert.deepEqual(await found(number), [], number);
  }
});

test('every page of every filter equals a page of the sorted and filtered table', async () => {
  const teams = [await addTeam(context), await addTeam(context)] as const;
  const chats = [await addChat(teams[0]), await addChat(teams[0]), await addChat(teams[1])] as const;
  for (const [n, chat] of chats.entries()) await addMessages(chat, 20 + 15 * n);
  await addMessages({ teamId: newId(), deviceId: chats[0].deviceId }, 10);
  const { rows: newestFirst } = await sql<
    Record<'id' | 'team_id' | 'device_id' | 'contact_number' | 'direction' | 'status', string>
  >`
    select id, team_id, device_id, contact_number, direction, status from messages
    where team_id in (select id from teams) order by created_at desc, id desc`.execute(db);
  const filters: Omit<ListMessages, 'page' | 'limit'>[] = [
    {},
    { team_id: teams[0] },
    { team_id: teams[1], direction: 'in' },
    { device_id: chats[1].deviceId },
    { team_id: teams[0], device_id: chats[2].deviceId },
    { contact_number: contact },
    { device_id: chats[0].deviceId, contact_number: contact },
    { status: 'refused' },
    { status: 'read' },
    { team_id: newId() },
  ];
  const scopes: Scope[] = [{ kind: 'all' }, { kind: 'team', teamId: teams[0] }];
  for (const scope of scopes) {
    for (const filter of filters) {
      const expected = newestFirst.filter(
        (message) =>
          (scope.kind === 'all' || scope.teamId === message.team_id) &&
          Object.entries({ ...message, ...filter }).every(
            ([name, value]) => message[name as keyof typeof message] === value,
          ),
      );
      for (const limit of [7, 100]) {
        for (let page = 1; (page - 2) * limit <= expected.length; page++) {
          const { rows, total } = await selectMessages(db, scope, { ...filter, page, limit });
          assert.equal(total, expected.length);
          assert.deepEqual(
            rows.map(({ id }) => id),
            expected.slice((page - 1) * limit, page * limit).map(({ id }) => id),
          );
        }
      }
    }
  }
});

test('counts only so many messages of all teams, and the cursor leads beyond', async () => {
  const teamId = await addTeam(context);
  await addMessages(await addChat(teamId), 9);
  const scope: Scope = { kind: 'all' };
  const list = (query: Partial<ListMessages>) =>
    selectMessages(db, scope, { page: 1, limit: 3, ...query }, 5).then(({ rows, total }) => [
      total,
      rows.length,
    ]);
  assert.deepEqual(await list({}), [5, 3]);
  assert.deepEqual(await list({ page: 2 }), [5, 2]);
  assert.deepEqual(await list({ page: 3 }), [5, 0]);
  assert.deepEqual(await list({ page: Number.MAX_SAFE_INTEGER }), [5, 0]);
  assert.deepEqual(await list({ team_id: teamId, page: 3 }), [9, 3]);
  const seen = new Set<string>();
  for (let after = ''; seen.size < 9; ) {
    const { rows } = await selectMessages(db, scope, { page: 1, limit: 3, after }, 5);
    for (const { id } of rows) seen.add(id);
    const last = rows.at(-1);
    assert.ok(last);
    after = `${last.created_at.getTime()}-${last.id}`;
  }
});

test('lists the last message of an answer first, although all have the same time', async () => {
  const { conversationId, ...chat } = await addChat(await addTeam(context));
  const texts = Array.from({ length: 20 }, (_, n) => `Paragraph ${n}`);
  await db.transaction().execute((tx) =>
    enqueueReplies(tx, {
      ...chat,
      contactNumber: contact,
      origin: 'bot',
      answerId: newId(),
      requestId: null,
      parts: texts.map((text) => ({ text })),
    }),
  );
  const { data } = (await api('GET', `/conversations/${conversationId}/messages`)).body;
  assert.deepEqual(
    data.map(({ text }: { text: string }) => text),
    texts.toReversed(),
  );
});
