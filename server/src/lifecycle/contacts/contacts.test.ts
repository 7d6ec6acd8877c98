import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { countLockWaiters } from '../../../test/lock-waits.ts';
import { createActionCaller } from '../../chat/answering/call-action.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startTestApp();
const { db } = app.context;
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const chats = createChats({ ...app, bots: createTestBots(app.context), callAction });
chats.startAnswering();

const pathOf = (contact: string, operation: 'export' | 'erase') =>
  `/contacts/${encodeURIComponent(contact)}/${operation}`;

const questions = [{ question: 'When do you open?', answer: 'We open at nine.' }];
const photo = Buffer.from('bytes of a photo');

interface Chat {
  teamId: string;
  deviceId: string;
  conversationId: string;
}

/** A chat of the contact with rows in every table that holds contacts. */
async function addChat(contact: string): Promise<Chat> {
  const desk = await chats.addDevice({ questions });
  await chats.write(desk, contact, 'When do you open?');
  await chats.untilReplied(desk, contact);
  const { id: conversationId } = await chats.readConversation(desk, contact);
  await sql`
    update devices set status = 'started', connected = true, logged_in = true where id = ${desk.deviceId}`.execute(
    db,
  );
  await sql`
    insert into bot_testers (bot_id, team_id, contact_number) values (${desk.botId}, ${desk.teamId}, ${contact})`.execute(
    db,
  );
  await sql`
    insert into pools (id, url, capacity, lease_until)
    select pool_id, 'http://pool', 9, now() + interval '1 hour' from devices where id = ${desk.deviceId}`.execute(
    db,
  );
  const answered = await app.api('POST', `/conversations/${conversationId}/messages`, {
    body: { text: `Call ${contact}` },
    headers: { 'idempotency-key': newId() },
  });
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  // The bot does not answer it, because a person has taken over.
  await chats.write(desk, contact, { kind: 'image', mimeType: 'image/png', bytes: photo, caption: 'Look' });
  await app.api('POST', '/webhooks', {
    body: { team_id: desk.teamId, url: 'https://hooks.example.com/', events: ['*'] },
  });
  await sql`
    insert into webhook_deliveries (event_id, webhook_id, xid, seq, chat)
    select e.id, w.id, e.xid, e.seq, e.contact_number from events e join webhooks w on w.team_id = e.team_id
    where e.contact_number = ${contact} on conflict do nothing`.execute(db);
  await sql`
    insert into device_sessions (device_id, kind, entry_id, value_sealed)
    values (${desk.deviceId}, 'session', ${`${contact.slice(1)}.0`}, '\\x00'), (${desk.deviceId}, 'creds', '', '\\x00')`.execute(
    db,
  );
  return { teamId: desk.teamId, deviceId: desk.deviceId, conversationId };
}

/** The tables with a row that contains a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`
      select 1 from ${sql.raw(name)} t where strpos(to_jsonb(t)::text, ${text}) > 0 limit 1`.execute(db);
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}

async function storedResultsWith(text: string): Promise<number> {
  const { rows } = await sql<{
    api_key_id: string;
    method: string;
    path: string;
    key: string;
    body_sealed: Buffer;
  }>`
    select * from idempotency_keys where body_sealed is not null`.execute(db);
  return rows.filter((row) =>
    app.context.encryption
      .open(row.body_sealed, ['idempotency_keys', row.api_key_id, row.method, row.path, row.key].join('\n'))
      .includes(text),
  ).length;
}

test('erases a contact from the whole database, and no other contact', async () => {
  const [contact, other] = ['+15550187001', '+15550187002'];
  const chat = await addChat(contact);
  await addChat(other);
  assert.deepEqual(await tablesWith(contact.slice(1)), [
    'public.answers',
    'public.bot_testers',
    'public.contacts',
    'public.conversations',
    'public.device_sessions',
    'public.events',
    'public.messages',
    'public.webhook_deliveries',
  ]);
  assert.equal(await storedResultsWith(contact), 1);
  const before = await tablesWith(other.slice(1));
  const { status, body } = await app.api('POST', `/contacts/${encodeURIComponent(contact)}/erase`, {
    body: {},
  });
  assert.equal(status, 200);
  assert.deepEqual([body.data.conversations, body.data.messages, body.data.answers], [1, 4, 1]);
  assert.deepEqual(await tablesWith(contact.slice(1)), []);
  assert.equal(await storedResultsWith(contact), 0);
  assert.deepEqual(await tablesWith(photo.toString('hex')), ['public.message_media']);
  const { rows } = await sql<{ media: number }>`select count(*)::int as media from message_media`.execute(db);
  assert.equal(rows[0]?.media, 1);
  assert.deepEqual(await tablesWith(other.slice(1)), before);
  assert.equal(await storedResultsWith(other), 1);
  const audited = await app.api('GET', '/audit-log?operation=eraseContact');
  assert.match(audited.body.data[0].after.contact_number_hash, /^[0-9a-f]{32}$/);
  assert.equal((await app.api('GET', `/conversations/${chat.conversationId}/messages`)).status, 404);
});

test('erases a contact who is known only by an id of the network', async () => {
  const contact = 'lid:981234567890123';
  await addChat(contact);
  await app.api('POST', `/contacts/${contact}/erase`, { body: {} });
  assert.deepEqual(await tablesWith(contact), []);
});

test('erases nothing of a contact whose number only begins alike, and no key of a device', async () => {
  const contact = '+155501870091';
  const { deviceId } = await addChat(contact);
  await sql`
    insert into device_sessions (device_id, kind, entry_id, value_sealed)
    select ${deviceId}, kind, entry_id, '\\x00' from (values ('creds', 'creds'), ('pre-key', '155501'), ('inbox', 'recent'),
      ('app-state-sync-version', 'regular'), ('lid-mapping', '155501870091')) entries (kind, entry_id)`.execute(
    db,
  );
  const before = await tablesWith(contact.slice(1));
  const entries = () =>
    sql`select kind, entry_id from device_sessions where device_id = ${deviceId} order by 1, 2`.execute(db);
  const { rows } = await entries();
  for (const erased of ['+15550187009', '+155501', 'lid:155501', 'lid:creds']) {
    assert.equal((await app.api('POST', pathOf(erased, 'erase'), { body: {} })).status, 200);
  }
  assert.deepEqual((await entries()).rows, rows);
  assert.deepEqual(await tablesWith(contact.slice(1)), before);
  assert.equal(await storedResultsWith(contact), 1);
});

const numbersOfNobody = [
  'success',
  'data',
  'creds',
  'true',
  '0',
  '1234',
  '1'.repeat(16),
  '+',
  '++15550123',
  '+1555 0123',
];
const idsOfNoNetwork = [
  'lid:',
  'lid',
  'LID:12345',
  'lid:a b',
  'lid:1@lid',
  'xid:12345',
  'wa:15550123',
  ':15550123',
];

test('refuses words that are neither a number nor an id of the network', async () => {
  const contact = '+15550187015';
  await addChat(contact);
  const before = await storedResultsWith(contact);
  assert.ok(before > 0);
  for (const word of [...numbersOfNobody, ...idsOfNoNetwork])
    for (const operation of ['export', 'erase'] as const) {
      const { status, body } = await app.api('POST', pathOf(word, operation), { body: {} });
      assert.equal(status, 400, word);
      assert.equal(body.details.reason, 'validation');
      assert.equal(body.details.issues[0].path, 'number');
    }
  assert.equal(await storedResultsWith(contact), before);
});

test("keeps the stored results of other contacts' requests, whatever their texts contain", async () => {
  const [contact, other] = ['+15550187016', '+15550187017'];
  const chat = await addChat(contact);
  const { conversationId, teamId } = await addChat(other);
  for (const text of [
    contact,
    `{"contact_number":"${contact}"}`,
    `${contact} ${chat.teamId} ${chat.deviceId}`,
  ]) {
    const { status } = await app.api('POST', `/conversations/${conversationId}/messages`, {
      body: { text },
      headers: { 'idempotency-key': newId() },
    });
    assert.equal(status, 200);
  }
  const before = await storedResultsWith(teamId);
  assert.equal(before, 4);
  await app.api('POST', pathOf(contact, 'erase'), { body: {} });
  assert.equal(await storedResultsWith(teamId), before);
  assert.equal(await storedResultsWith(chat.teamId), 1, 'the text of the other contact');
});

test('exports everything that is stored about a contact', async () => {
  const contact = '+15550187003';
  const { teamId, conversationId } = await addChat(contact);
  const { status, body } = await app.api('POST', `/contacts/${encodeURIComponent(contact)}/export`, {
    body: { team_id: teamId },
  });
  assert.equal(status, 200);
  const { data } = body;
  assert.deepEqual([data.contact_number, data.complete], [contact, true]);
  assert.deepEqual(
    data.conversations.map(({ id }: { id: string }) => id),
    [conversationId],
  );
  assert.deepEqual(
    data.messages.map(({ text }: { text: string }) => text),
    ['Look', `Call ${contact}`, 'We open at nine.', 'When do you open?'],
  );
  assert.deepEqual(data.messages[0].media, [
    { kind: 'image', mime_type: 'image/png', size: photo.length, content: photo.toString('base64') },
  ]);
  assert.equal(data.answers.length, 1);
});

test('exports what a message quotes, and its text before an edit', async () => {
  const contact = '+15550187030';
  const desk = await chats.addDevice({ questions }, { reply_delay_seconds: 60 });
  const quoted = { kind: 'text', text: 'From last year' } as const;
  await chats.write(desk, contact, 'This one', { networkId: 'A', details: { replyTo: 'unknown', quoted } });
  await chats.write(desk, contact, '[edited] That one', { details: { type: 'edit', about: 'A' } });
  const { body } = await app.api('POST', `/contacts/${encodeURIComponent(contact)}/export`, { body: {} });
  const { text, details } = body.data.messages.at(-1);
  assert.deepEqual([text, details], ['That one', { quoted, original_text: 'This one' }]);
});

test('exports the newest 32 MiB of texts', async () => {
  const contact = '+15550187029';
  const { deviceId } = await addChat(contact);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
    select gen_random_uuid(), team_id, id, ${contact}, 'in', 'contact', 'text', repeat('é', 65536), n::text, 'answered',
           now() - n * interval '1 hour'
    from devices cross join generate_series(1, 300) n where id = ${deviceId}`.execute(db);
  const { status, body } = await app.api('POST', `/contacts/${encodeURIComponent(contact)}/export`, {
    body: {},
  });
  assert.equal(status, 200);
  assert.equal(body.data.complete, false);
  // 256 of 128 KiB each, and the 4 short ones.
  assert.equal(body.data.messages.length, 260);
});

test("neither exports nor erases another team's contact with a key of scope team", async () => {
  const contact = '+15550187004';
  const [mine, other] = [await addChat(contact), await addChat(contact)];
  const { token } = await app.issueKey({ teamId: mine.teamId });
  const path = `/contacts/${encodeURIComponent(contact)}`;
  const exported = await app.api('POST', `${path}/export`, { token, body: {} });
  assert.deepEqual(
    exported.body.data.conversations.map(({ id }: { id: string }) => id),
    [mine.conversationId],
  );
  assert.equal(
    (await app.api('POST', `${path}/erase`, { token, body: { team_id: other.teamId } })).status,
    400,
  );
  await app.api('POST', `${path}/erase`, { token, body: {} });
  await eventually(async () => {
    const left = await app.api('POST', `${path}/export`, { body: {} });
    assert.deepEqual(
      left.body.data.conversations.map(({ id }: { id: string }) => id),
      [other.conversationId],
    );
  });
});

test('exports and erases a contact under another form of the number', async () => {
  const [stored, dialled] = ['+551187187005', '+5511987187005'];
  const { deviceId, teamId } = await addChat(stored);
  await sql`
    insert into contact_addresses (device_id, address, team_id, contact_number)
    values (${deviceId}, ${dialled}, ${teamId}, ${stored}), (${deviceId}, '551187187005@net', ${teamId}, ${stored})`.execute(
    db,
  );
  const path = `/contacts/${encodeURIComponent(dialled)}`;
  const exported = await app.api('POST', `${path}/export`, { body: {} });
  assert.deepEqual([exported.body.data.contact_number, exported.body.data.messages.length], [dialled, 4]);
  await app.api('POST', `${path}/erase`, { body: {} });
  assert.deepEqual(await tablesWith(stored.slice(1)), []);
});

test("keeps the stored results of other teams' requests", async () => {
  const contact = '+15550187006';
  const [mine, other] = [await addChat(contact), await addChat(contact)];
  assert.equal(await storedResultsWith(contact), 2);
  const { token } = await app.issueKey({ teamId: mine.teamId });
  const path = `/contacts/${encodeURIComponent(contact)}/erase`;
  await app.api('POST', path, { token, body: {} });
  assert.equal(await storedResultsWith(contact), 1);
  assert.equal(await storedResultsWith(other.deviceId), 1);
  assert.equal(await storedResultsWith(mine.deviceId), 0);
});

test('exports at most 32 MiB of media, the newest first', async () => {
  const contact = '+15550187008';
  const { deviceId, teamId } = await addChat(contact);
  const [oldest] = await Promise.all(
    Array.from({ length: 33 }, async (_, n) => {
      const id = newId();
      await sql`
        insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
        values (${id}, ${teamId}, ${deviceId}, ${contact}, 'in', 'contact', 'image', '', ${id}, 'answered',
                now() + make_interval(mins => ${n}))`.execute(db);
      await sql`
        insert into message_media (message_id, position, kind, mime_type, bytes)
        values (${id}, 0, 'image', 'image/png', decode(repeat('00', 1048576), 'hex'))`.execute(db);
      return id;
    }),
  );
  const { body } = await app.api('POST', `/contacts/${encodeURIComponent(contact)}/export`, { body: {} });
  const media: { id: string; content: string | null }[] = body.data.messages.flatMap(
    ({ id, media }: { id: string; media: { content: string | null }[] }) =>
      media.map(({ content }) => ({ id, content })),
  );
  const leftOut = media.filter(({ content }) => content === null).map(({ id }) => id);
  assert.deepEqual([media.length, leftOut[0], leftOut.length, body.data.complete], [34, oldest, 2, false]);
});

/** Runs `work` while no other transaction can use the table. */
const withLocked = <Result>(table: string, work: () => Promise<Result>): Promise<Result> =>
  db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    return work();
  });

for (const { operation, lastRead } of [
  { operation: 'export', lastRead: 'answers' },
  { operation: 'erase', lastRead: 'events' },
] as const) {
  test(`reads all data before the first write of an ${operation}, for which later events wait`, async () => {
    const contact = '+15550187010';
    const { teamId } = await addChat(contact);
    const waiting = sql<{ backend_xid: string | null }>`
      select backend_xid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and strpos(query, 'contact_number = any') > 0`;
    const { request } = await withLocked(lastRead, async () => {
      const request = app.api('POST', pathOf(contact, operation), { body: { team_id: teamId } });
      await eventually(async () =>
        assert.deepEqual((await waiting.execute(db)).rows, [{ backend_xid: null }]),
      );
      return { request };
    });
    assert.equal((await request).status, 200);
  });
}

test('exports or erases two contacts of a team at once, and eight wait', async () => {
  const [own, other] = [await addChat('+15550187011'), await addChat('+15550187012')];
  const { token } = await app.issueKey({ teamId: own.teamId });
  let refused = 0;
  const { requests, others } = await withLocked('answers', async () => {
    const requests = Array.from({ length: 11 }, (_, n) =>
      app.api('POST', pathOf('+15550187011', n % 2 === 0 ? 'export' : 'erase'), { token, body: {} }),
    );
    for (const request of requests) void request.then(({ status }) => (refused += Number(status !== 200)));
    await eventually(async () => assert.equal(refused, 1));
    const others = app.api('POST', pathOf('+15550187012', 'export'), { body: { team_id: other.teamId } });
    await eventually(async () => assert.equal(await countLockWaiters(db, 'answers'), 3));
    return { requests, others };
  });
  const responses = await Promise.all(requests);
  const [refusal] = responses.filter(({ status }) => status !== 200);
  assert.deepEqual([refused, refusal?.status, refusal?.body.details.reason], [1, 503, 'overloaded']);
  assert.equal(refusal?.headers.get('retry-after'), '5');
  assert.equal((await others).status, 200);
});

test('counts an export until the client has read it', async () => {
  const contact = '+15550187013';
  const { teamId, deviceId } = await addChat(contact);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
    select gen_random_uuid(), team_id, id, ${contact}, 'in', 'contact', 'text', repeat('x', 65536), n::text, 'answered'
    from devices cross join generate_series(1, 400) n where id = ${deviceId}`.execute(db);
  const { token } = await app.issueKey({ teamId });
  const exportSlowly = async () => {
    const sent = request(`${app.baseUrl}/api/openapi/v1${pathOf(contact, 'export')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      agent: false,
    }).end('{}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const unread = await Promise.all([exportSlowly(), exportSlowly()]);
  let hasRead = false;
  const next = app
    .api('POST', pathOf('+15550187014', 'export'), { token, body: {} })
    .then(({ status }) => ({ status, hasRead }));
  // Another team does not wait.
  assert.equal((await app.api('POST', pathOf('+15550187014', 'export'), { body: {} })).status, 200);
  hasRead = true;
  for (const response of unread) response.destroy();
  assert.deepEqual(await next, { status: 200, hasRead: true });
});
