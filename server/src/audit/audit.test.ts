import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { startDescribedApi } from '../../test/openapi/described-api.ts';
import { encodeRequest } from '../../test/openapi/wire.ts';
import { newId } from '../shared/ids.ts';
import { chainAuditLog, verifyAuditLog } from './chain.ts';

const api = await startDescribedApi();
const { db, deviceTokens } = api.context;
const { keyedHash } = deviceTokens;

/** They change nothing of Parley, or nothing that lasts. */
const unaudited = new Set(['createAccessToken', 'askBot', 'tryBotAction', 'testWebhook']);

const changing = api.operations.filter(
  ({ id, method, open }) => !open && method !== 'GET' && !unaudited.has(id),
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
  if (['sendMessage', 'writeToConversation', 'stopDevice', 'logoutDevice'].includes(operationId)) {
    return prepareDevice(objects);
  }
  await stop(objects);
  if (operationId === 'publishBot') {
    await api.api('PATCH', `/bots/${objects['bots']}`, { body: { name: 'Changed' } });
  }
  if (operationId === 'resumeConversation') {
    await sql`update conversations set state = 'paused' where id = ${objects['conversations']}`.execute(db);
  }
  if (operationId === 'deleteBot') {
    await sql`delete from devices where id = ${objects['devices']}`.execute(db);
  }
  if (operationId === 'updateApiKey') {
    await sql`update api_keys set name = 'Before' where key_id = ${objects['api-keys']}`.execute(db);
  }
}

const bodies: Record<string, object> = {
  connectDevice: {},
  updateApiKey: { name: 'After' },
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

test('verifies the chain and finds a changed and a removed row', async () => {
  await api.createObjects();
  await chainAuditLog(db, keyedHash, AbortSignal.timeout(60_000));
  const intact = await verifyAuditLog(db, keyedHash);
  assert.ok(intact.intact && intact.rows > 3);
  await sql`update audit_log set operation = 'forged' where position = 2`.execute(db);
  const changed = await verifyAuditLog(db, keyedHash);
  assert.deepEqual([changed.intact, 'position' in changed && changed.position], [false, 2]);
  await sql`delete from audit_log where position = 2`.execute(db);
  const removed = await verifyAuditLog(db, keyedHash);
  assert.deepEqual([removed.intact, 'position' in removed && removed.position], [false, 2]);
});

test('finds a removed row behind an intact hash', async () => {
  await api.createObjects();
  await sql`update audit_log set position = null, hash = null`.execute(db);
  await chainAuditLog(db, keyedHash, AbortSignal.timeout(60_000));
  await sql`delete from audit_log where position = 2`.execute(db);
  await sql`update audit_log set position = -position where position > 2`.execute(db);
  await sql`update audit_log set position = -position - 1 where position < 0`.execute(db);
  const { intact } = await verifyAuditLog(db, keyedHash);
  assert.equal(intact, false);
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
