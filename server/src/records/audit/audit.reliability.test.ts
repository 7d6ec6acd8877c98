import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { eventually } from '../../../test/eventually.ts';
import { startDescribedApi } from '../../../test/openapi/described-api.ts';
import { encodeRequest } from '../../../test/openapi/wire.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import { chainAuditLogJob } from './audit.jobs.ts';
import { createAuditMeters } from './audit-metrics.ts';
import { chainAuditLog, formatHead, parseHead, verifyAuditLog } from './chain.ts';

const api = await startDescribedApi();
const { db, deviceTokens } = api.context;
const { keyedHash } = deviceTokens;

/** They change nothing that lasts, or only when somebody looked. */
const unaudited = new Set(['askBot', 'markConversationRead', 'noteTyping']);

/** They need the network of the device. devices/templates.test.ts covers their rows. */
const ofNetworks = new Set(['createTemplate', 'deleteTemplate']);

const changing = api.operations.filter(
  ({ id, method, open }) => !open && method !== 'GET' && !unaudited.has(id) && !ofNetworks.has(id),
);

async function list(query: string, token?: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await api.api(
    'GET',
    `/audit-log?limit=100${query}`,
    token === undefined ? {} : { token },
  );
  assert.equal(status, 200);
  return body.data;
}

/** A device that can send, and a conversation that a person can answer. */
async function prepareDevice(objects: Record<string, string>): Promise<void> {
  await sql`update pools set lease_until = now() + interval '1 hour'`.execute(db);
  await sql`
    update devices set status = 'started', connected = true, logged_in = true where id = ${objects['devices']}`.execute(
    db,
  );
}

/** Does what a pool would do, so that the request need not wait for it. */
const actAsPool: Record<string, (objects: Record<string, string>) => Promise<unknown>> = {
  sendMessage: () =>
    until(sql`update messages set status = 'sent' where origin = 'api' and status = 'accepted' returning id`),
  connectDevice: (objects) =>
    until(sql`
      update devices set qr_text = '2@abc', qr_expires_at = now() + interval '1 minute'
      where id = ${objects['devices']} and status = 'started' returning id`),
};

const until = (statement: ReturnType<typeof sql>) =>
  eventually(async () => assert.equal((await statement.execute(db)).rows.length, 1));

const stop = (objects: Record<string, string>) =>
  sql`update devices set status = 'stopped', connected = false where id = ${objects['devices']}`.execute(db);

/** Puts the objects into the state that an operation needs. */
async function prepare(operationId: string, objects: Record<string, string>): Promise<void> {
  if (
    ['sendMessage', 'writeToConversation', 'sendFileToConversation', 'stopDevice', 'logoutDevice'].includes(
      operationId,
    )
  ) {
    return prepareDevice(objects);
  }
  await stop(objects);
  if (operationId === 'publishBot') {
    await api.api('PATCH', `/bots/${objects['bots']}`, { body: { name: 'Changed' } });
  }
  if (operationId === 'rateMessage') {
    const answer = newId();
    await sql`
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
      select ${answer}::uuid, team_id, ${objects['bots']}::uuid, 1, device_id, contact_number, true, 1, '{}'
      from messages where id = ${objects['messages']}`.execute(db);
    await sql`update messages set answer_id = ${answer} where id = ${objects['messages']}`.execute(db);
  }
  if (operationId === 'answerConversation' || operationId === 'answerWaiting') {
    await sql`update conversations set flag = 'bot_not_published' where id = ${objects['conversations']}`.execute(
      db,
    );
    await sql`update messages set status = 'received' where id = ${objects['messages']}`.execute(db);
  }
  if (operationId === 'resumeConversation') {
    await sql`update conversations set state = 'paused' where id = ${objects['conversations']}`.execute(db);
  }
  if (operationId === 'assignConversation') {
    await sql`
      update conversations set assignee_id = (select id from users where team_id = conversations.team_id limit 1)
      where id = ${objects['conversations']}`.execute(db);
  }
  if (operationId === 'deleteDeviceLink') {
    await sql`update devices set logged_in = false where id = ${objects['devices']}`.execute(db);
    await api.api('POST', `/devices/${objects['devices']}/link`);
  }
  if (operationId === 'putDeviceCredentials') {
    await sql`update devices set network = 'telegram', status = 'stopped' where id = ${objects['devices']}`.execute(
      db,
    );
  }
  if (operationId === 'deleteBot') {
    await sql`delete from devices where id = ${objects['devices']}`.execute(db);
  }
  if (operationId === 'putHost') await sql`delete from hosts where name = ${objects['hosts']}`.execute(db);
  if (operationId === 'updateApiKey') {
    await sql`update api_keys set name = 'Before' where key_id = ${objects['api-keys']}`.execute(db);
  }
}

const bodies: Record<string, object> = {
  connectDevice: {},
  putDeviceCredentials: { bot_token: `12345:${'x'.repeat(35)}` },
  updateApiKey: { name: 'After' },
  assignConversation: { user_id: null },
  labelConversation: { labels: ['order'] },
  updateTeam: { name: 'Renamed' },
  updateBot: { name: 'Renamed' },
  updateDevice: { name: 'Renamed' },
  updateWebhook: { description: 'Renamed' },
  renameDocument: { name: 'renamed.txt' },
};

for (const operation of changing) {
  test(`${operation.id} writes its rows with the change`, async () => {
    const objects = await api.createObjects();
    if (operation.id === 'deletePlan') {
      objects['plans'] = newId();
      const { body } = await api.api('GET', '/plans');
      const { name: _, ...terms } = body.data[0];
      await api.api('PUT', `/plans/${objects['plans']}`, { body: terms });
    }
    await prepare(operation.id, objects);
    const drawn = api.requestFor(operation, objects);
    const body =
      operation.id === 'sendMessage'
        ? { ...(drawn.body as object), device_id: objects['devices'], ai_generates_message: false }
        : ['putConsent', 'importConsents', 'updateContact'].includes(operation.id)
          ? { ...(drawn.body as object), team_id: objects['teams'] }
          : (bodies[operation.id] ?? drawn.body);
    const encoded = encodeRequest({ ...drawn, body, headers: {} }, api.key.token);
    const [{ status, text, headers }] = await Promise.all([
      api.wire.send(encoded),
      actAsPool[operation.id]?.(objects),
    ]);
    assert.equal(status, 200, text);
    const rows = await list(`&operation=${operation.id}`);
    const own = rows.filter(({ request_id: id }) => id === headers['x-request-id']);
    assert.ok(own.length > 0, `no row of ${operation.id}`);
    for (const row of own) {
      assert.equal(row['key_id'], api.key.keyId);
      assert.equal(row['address'], '127.0.0.1');
      assert.ok(row['before'] !== null || row['after'] !== null);
    }
  });
}

test('shows what differs, without secrets', async () => {
  const { teams: teamId, bots: botId } = await api.createObjects();
  await api.api('PATCH', `/teams/${teamId}`, { body: { name: 'Quay' } });
  const [renamed] = await list(`&team_id=${teamId}&operation=updateTeam`);
  assert.deepEqual([renamed?.['before'], renamed?.['after']], [{ name: 'Harbour' }, { name: 'Quay' }]);
  const secret = 'canary-of-the-audit-log';
  const action = { name: 'Hours', description: 'Hours', endpoint: 'https://a.example/', body: [] };
  await api.api('PATCH', `/bots/${botId}`, {
    body: { actions: [{ ...action, headers: { key: 'X-Shop', value: secret } }] },
  });
  const rows = await list(`&team_id=${teamId}&operation=updateBot`);
  assert.ok(!JSON.stringify(rows).includes(secret));
  const added = rows.find(({ object_type: type, after }) => type === 'bot_action' && after !== null);
  assert.equal((added?.['after'] as { headers_sealed: string } | undefined)?.headers_sealed, '***');
});

test('holds texts and numbers of contacts only as hashes', async () => {
  const objects = await api.createObjects();
  await prepareDevice(objects);
  const [number, text] = ['+15550144', 'The canary text of a message'];
  const [sent] = await Promise.all([
    api.api('POST', '/send', {
      body: { device_id: objects['devices'], destination_number: number, message: text },
    }),
    actAsPool['sendMessage']?.(objects),
  ]);
  assert.equal(sent.status, 200);
  await api.api('POST', `/conversations/${objects['conversations']}/messages`, { body: { text } });
  const rows = await list(`&team_id=${objects['teams']}`);
  const hashes = rows.filter(
    ({ after }) => typeof (after as { text_hash?: string } | null)?.text_hash === 'string',
  );
  assert.equal(hashes.length, 2);
  for (const part of [number, number.slice(1), text, '+15550199']) {
    assert.ok(!JSON.stringify(rows).includes(part), part);
  }
});

test('writes no row of a change that was refused', async () => {
  const { teams: teamId } = await api.createObjects();
  const before = await list(`&team_id=${teamId}`);
  const { status } = await api.api('PATCH', `/teams/${teamId}`, { body: { plan_name: 'unknown' } });
  assert.equal(status, 400);
  assert.deepEqual(await list(`&team_id=${teamId}`), before);
});

test('shows a key of scope team the rows of its team', async () => {
  const [mine, other] = [await api.createObjects(), await api.createObjects()];
  const { token } = await api.issueKey({ teamId: mine['teams'] ?? '' });
  const rows = await list('', token);
  assert.deepEqual(new Set(rows.map(({ team_id: id }) => id)), new Set([mine['teams']]));
  assert.deepEqual(await list(`&team_id=${other['teams']}`, token), []);
});

test('filters by time', async () => {
  const { teams: teamId } = await api.createObjects();
  const rows = await list(`&team_id=${teamId}`);
  const [latest] = rows;
  const at = String(latest?.['at']);
  assert.ok((await list(`&team_id=${teamId}&since=${at}`)).some(({ id }) => id === latest?.['id']));
  assert.ok(!(await list(`&team_id=${teamId}&until=${at}`)).some(({ id }) => id === latest?.['id']));
});

const chain = () => chainAuditLog(db, keyedHash, AbortSignal.timeout(60_000));

/** What only the owner of the table can do. */
async function rewrite(...statements: ReturnType<typeof sql>[]): Promise<void> {
  await sql`alter table audit_log disable trigger user`.execute(db);
  for (const statement of statements) await statement.execute(db);
  await sql`alter table audit_log enable trigger user`.execute(db);
}

const unchain = sql`update audit_log set position = null, hash = null where position > 1`;

test('verifies the chain and finds a changed and a removed row', async () => {
  await api.createObjects();
  await chain();
  const intact = await verifyAuditLog(db, keyedHash);
  assert.ok(intact.intact && intact.rows > 3);
  await rewrite(sql`update audit_log set operation = 'forged' where position = 2`);
  const changed = await verifyAuditLog(db, keyedHash);
  assert.deepEqual([changed.intact, 'position' in changed && changed.position], [false, 2]);
  await rewrite(sql`delete from audit_log where position = 2`);
  const removed = await verifyAuditLog(db, keyedHash);
  assert.deepEqual([removed.intact, 'position' in removed && removed.position], [false, 2]);
});

test('finds a removed row behind an intact hash', async () => {
  await api.createObjects();
  await rewrite(sql`update audit_log set position = null, hash = null`);
  await chain();
  await rewrite(
    sql`delete from audit_log where position = 2`,
    sql`update audit_log set position = -position where position > 2`,
    sql`update audit_log set position = -position - 1 where position < 0`,
  );
  const { intact } = await verifyAuditLog(db, keyedHash);
  assert.equal(intact, false);
});

test('finds a chain that its owner rewrote or cut off, if an earlier head is known', async () => {
  await rewrite(sql`update audit_log set position = null, hash = null`);
  const head = await chain();
  assert.ok(head !== null);
  assert.deepEqual(parseHead(formatHead(head)), head);
  await api.createObjects();
  await chain();
  assert.equal((await verifyAuditLog(db, keyedHash, [head])).intact, true);
  await rewrite(unchain, sql`update audit_log set operation = 'forged' where position is null`);
  await chain();
  assert.equal((await verifyAuditLog(db, keyedHash)).intact, true, 'the job signs the forgery');
  const rewritten = await verifyAuditLog(db, keyedHash, [head]);
  assert.deepEqual([rewritten.intact, 'position' in rewritten && rewritten.position], [false, head.position]);
  await rewrite(sql`delete from audit_log where position > 1`);
  const cut = await verifyAuditLog(db, keyedHash, [head]);
  assert.deepEqual([cut.intact, 'position' in cut && cut.position], [false, 2]);
});

const forgeries = {
  'taking rows out of the chain': unchain,
  'changing a row of the chain': sql`update audit_log set operation = 'forged' where position = 1`,
  'changing a row that is not in the chain yet': sql`update audit_log set operation = 'forged' where position is null`,
  'removing a row of the chain': sql`delete from audit_log where position = 1`,
  'removing a row that is not in the chain yet': sql`delete from audit_log where position is null`,
  'removing all rows': sql`truncate audit_log`,
  'a row with a place': sql`
    insert into audit_log (operation, object_type, position, hash) values ('forged', 'team', 999999, '\\x00')`,
  'a place after a gap': sql`
    select chain_audit_rows(array[id], array[999999::bigint], array[sha256('')]) from audit_log where position is null limit 1`,
  'a second place': sql`
    select chain_audit_rows(array[id], array[(select max(position) + 1 from audit_log)], array[sha256('')])
    from audit_log where position = 1`,
  'a short hash': sql`
    select chain_audit_rows(array[id], array[(select max(position) + 1 from audit_log)], array['\\x00'::bytea])
    from audit_log where position is null limit 1`,
};

for (const [name, statement] of Object.entries(forgeries)) {
  test(`refuses ${name}`, async () => {
    await api.createObjects();
    await chain();
    await api.createObjects();
    const read = async () =>
      (await sql<{ operation: string }>`select * from audit_log order by seq`.execute(db)).rows;
    const before = await read();
    await assert.rejects(statement.execute(db), /audit/);
    // A request of the service may add a row meanwhile.
    const rows = await read();
    assert.deepEqual(rows.slice(0, before.length), before);
    assert.ok(rows.every(({ operation }) => operation !== 'forged'));
  });
}

test('works with a role that owns neither the log nor its functions', async () => {
  const roles = ['owner', 'writer'].map((name) => `audit_${name}_${newId().replaceAll('-', '')}`);
  const [owner = '', writer = ''] = roles;
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/hardening.md'), 'utf8');
  const [, statements = ''] = /```sql\n(create role parley_audit[\s\S]*?)```/.exec(guide) ?? [];
  assert.notEqual(statements, '');
  const named = statements.replaceAll('parley_audit', owner).replaceAll('YOUR_ROLE', writer);
  await sql.raw(`create role ${writer}`).execute(db);
  await db.connection().execute(async (one) => {
    await sql.raw(named).execute(one);
    await sql.raw(`set role ${writer}`).execute(one);
    const add = () =>
      sql`insert into audit_log (operation, object_type) values ('updateTeam', 'team')`.execute(one);
    try {
      await add();
      await chainAuditLog(one, keyedHash, AbortSignal.timeout(60_000));
      await add();
      for (const statement of [
        ...Object.values(forgeries),
        sql`alter table audit_log disable trigger user`,
        sql`drop trigger audit_log_keep_rows on audit_log`,
        sql`create or replace function keep_audit_row() returns trigger language plpgsql as 'begin return new; end'`,
      ]) {
        await assert.rejects(statement.execute(one), /audit|permission|must be owner/);
      }
    } finally {
      await sql`reset role`.execute(one);
      for (const role of roles)
        await sql
          .raw(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`)
          .execute(one);
    }
  });
  const { rows } = await sql`select from audit_log where position is null`.execute(db);
  assert.equal(rows.length, 1);
});

test('chains rows of later commits behind those that were chained before', async () => {
  const objects = await api.createObjects();
  await chainAuditLog(db, keyedHash, AbortSignal.timeout(60_000));
  await api.api('PATCH', `/teams/${objects['teams']}`, { body: { name: 'Later' } });
  await chainAuditLog(db, keyedHash, AbortSignal.timeout(60_000));
  const { rows } = await sql<{ unchained: number }>`
    select count(*)::int as unchained from audit_log where position is null`.execute(db);
  assert.equal(rows[0]?.unchained, 0);
});

test('masks secrets in URLs', async () => {
  const { bots: botId, teams: teamId } = await api.createObjects();
  const endpoint = 'https://a.example/hours?token=canary-query#canary-fragment';
  const { status, body } = await api.api('POST', '/webhooks', {
    body: { team_id: teamId, url: 'https://hooks.example/x?key=canary-hook', events: ['message.received'] },
  });
  assert.equal(status, 200);
  await api.api('PATCH', `/webhooks/${body.data.id}`, {
    body: { url: 'https://hooks.example/y?canary-bare' },
  });
  const patched = await api.api('PATCH', `/bots/${botId}`, {
    body: {
      description: 'See https://user:canary-password@a.example/b?c=canary-text.',
      actions: [{ name: 'Hours', description: 'Hours', endpoint, body: [] }],
    },
  });
  assert.equal(patched.status, 200, JSON.stringify(patched.body));
  await api.api('POST', `/webhooks/${body.data.id}/test`);
  const rows = JSON.stringify(await list(`&team_id=${teamId}`));
  assert.match(rows, /hooks\.example\/x\?\*\*\*/);
  assert.match(rows, /\*\*\*@a\.example\/b\?\*\*\*/);
  assert.doesNotMatch(rows, /canary/);
});

test('shows accepted and refused exchanges of a key to its team, and no unknown key', async () => {
  const { teams: teamId } = await api.createObjects();
  const { keyId, secret, token } = await api.issueKey({ teamId: teamId ?? '' });
  const exchange = (id: string, key_secret: string) =>
    api.api('POST', '/../auth/token', { token: '', body: { key_id: id, key_secret } });
  for (const given of [secret, `${secret}x`, `${secret}x`]) await exchange(keyId, given);
  await exchange('secret-in-the-wrong-field', 'x');
  const sum = (rows: Record<string, unknown>[], accepted: boolean) =>
    rows
      .map(({ after: values }) => values as { accepted: boolean; exchanges: number })
      .filter((values) => values.accepted === accepted)
      .reduce((total, { exchanges }) => total + exchanges, 0);
  await eventually(async () => {
    const rows = await list('&operation=createAccessToken', token);
    // The key was exchanged once when it was issued.
    assert.deepEqual([sum(rows, true), sum(rows, false)], [2, 2]);
    for (const row of rows) assert.deepEqual([row['object_id'], row['address']], [keyId, '127.0.0.1']);
  }, 30_000);
  const all = JSON.stringify(await list('&operation=createAccessToken'));
  assert.doesNotMatch(all, /secret-in-the-wrong-field/);
});

test('publishes heads, and chains no more rows behind a rewritten chain', async () => {
  const received: string[] = [];
  const receiver = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)).head);
    response.writeHead(received.length === 1 ? 503 : 204).end();
  });
  after(() => receiver.close());
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  const lines: object[] = [];
  const log = (details: object) => lines.push(details);
  const registry = new Registry();
  const job = chainAuditLogJob({
    db,
    keyedHash,
    logger: { info: log, warn: log, error: log },
    meters: createAuditMeters(registry),
    installationId: newId(),
    headUrl: `http://127.0.0.1:${port}/heads`,
    outbound: createOutbound({ allowedHosts: [`127.0.0.1:${port}`] }),
  });
  const run = () => job.run({}, AbortSignal.timeout(60_000));
  await api.createObjects();
  await run();
  await run();
  const { rows } = await sql<{ position: number; hash: Buffer }>`
    select position, hash from audit_log where position is not null order by position desc limit 1`.execute(
    db,
  );
  const head = rows.map(formatHead)[0] ?? '';
  assert.deepEqual(received, [head, head], 'repeated after a failure');
  await run();
  assert.equal(received.length, 2);
  assert.deepEqual(lines[0], { head });
  assert.match(
    await registry.metrics(),
    new RegExp(`parley_audit_head\\{head="${head}"\\} ${head.split(':')[0]}`),
  );
  await rewrite(unchain);
  await run();
  assert.match(await registry.metrics(), /parley_audit_rewritten 1/);
  const { rows: chained } = await sql`select from audit_log where position > 1`.execute(db);
  assert.equal(chained.length, 0);
});
