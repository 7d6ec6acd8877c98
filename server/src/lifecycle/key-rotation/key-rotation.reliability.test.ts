import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import {
  addTeamWithBot,
  linkDevice,
  newPhone,
  startDevicesApp,
  waitForDevice,
} from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import {
  openTestContext,
  startApiOn,
  type TestContext,
  type TestKey,
  testEncryptionKey,
} from '../../../test/harness.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { sealedSessions } from '../../devices/device-sessions.sql.ts';
import { createEncryption } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import { keyRotationJob, sealedColumns } from './key-rotation.jobs.ts';

const [oldKey, newKey] = [testEncryptionKey, Buffer.alloc(32, 8)];
const [oldId, newKeyId] = [oldKey, newKey].map((key) => createEncryption(key).keyIds[0]);
const lines: { message: string; keys?: string[]; apiKeys?: string[] }[] = [];
const log = (data: object, message = '') => void lines.push({ ...data, message });
const logger = { info: log, warn: log };
const sessions = 3000;

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
  after(() => database.drop());
  return database.url;
}

/** Starts an API whose current key is the first one. `stop` ends it like its process. */
async function startApi(databaseUrl: string, ...encryptionKeys: [Buffer, ...Buffer[]]) {
  const context = await openTestContext(databaseUrl, { encryptionKeys });
  const app = await startApiOn(context);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= context.close();
    return stopped;
  };
  after(stop);
  return { ...app, stop };
}

const runJob = ({ db, encryption }: TestContext, inc: (labels: object, values: number) => void = () => {}) =>
  keyRotationJob({ db, encryption, logger, meters: { values: { inc: inc as never } } }).run(
    {},
    new AbortController().signal,
  );

/** Returns how many values of all tables each key sealed. */
async function countByKey({ db }: TestContext): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, column } of sealedColumns) {
    const { rows } = await sql<{ key: string; count: number }>`
      select encode(substring(${sql.ref(column)} from 2 for 8), 'hex') as key, count(*) as count
      from ${sql.table(table)} where ${sql.ref(column)} is not null group by 1`.execute(db);
    for (const { key, count } of rows) counts[key] = (counts[key] ?? 0) + count;
  }
  return counts;
}

/** Creates a value in every sealed column. */
async function writeValues({ api, context }: Awaited<ReturnType<typeof startApi>>) {
  const { db, encryption } = context;
  const { teamId } = await addTeamWithBot(db);
  const action = {
    name: 'Opening hours',
    description: 'Looks up the opening hours',
    endpoint: 'https://fixture.example/hours',
    headers: { key: 'X-Shop', value: 'port-alder' },
    body: [],
  };
  const created = { team_id: teamId, name: 'Desk', actions: [action] };
  const bot = await api('POST', '/bots', { body: created, headers: { 'idempotency-key': 'bot' } });
  const botId: string = bot.body.data.id;
  assert.equal((await api('POST', `/bots/${botId}/publish`)).status, 200);
  const deviceId = newId();
  const ids = Array.from({ length: sessions }, (_, n) => `entry-${n}`);
  const values = ids.map((id) =>
    encryption.seal(Buffer.from(`state of ${id}`), sealedSessions.context(deviceId, 'session', id)),
  );
  await sql`
    insert into device_sessions (device_id, kind, entry_id, value_sealed)
    select ${deviceId}::uuid, 'session', * from unnest(${ids}::text[], ${values}::bytea[])`.execute(db);
  return { botId, deviceId, created };
}

async function assertReadable(
  { api, context }: Awaited<ReturnType<typeof startApi>>,
  { botId, deviceId, created }: Awaited<ReturnType<typeof writeValues>>,
  { token }: Pick<TestKey, 'token'>,
): Promise<void> {
  const { body } = await api('GET', `/bots/${botId}`, { token });
  assert.equal(body.data.actions[0].headers.value, 'port-alder');
  const question = { question: 'Hello', version: 'published' };
  assert.equal((await api('POST', `/bots/${botId}/ask`, { token, body: question })).status, 200);
  const repeated = await api('POST', '/bots', {
    token,
    body: created,
    headers: { 'idempotency-key': 'bot' },
  });
  assert.equal(repeated.body.data?.id, botId, JSON.stringify(repeated.body));
  const { rows } = await sql<{ entry_id: string; value_sealed: Buffer }>`
    select entry_id, value_sealed from device_sessions where device_id = ${deviceId}`.execute(context.db);
  assert.equal(rows.length, sessions);
  for (const { entry_id, value_sealed } of rows) {
    const plain = context.encryption.open(
      value_sealed,
      sealedSessions.context(deviceId, 'session', entry_id),
    );
    assert.equal(plain.toString(), `state of ${entry_id}`);
  }
}

async function exchange({ baseUrl }: { baseUrl: string }, { keyId, secret }: TestKey): Promise<TestKey> {
  const response = await fetch(`${baseUrl}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key_id: keyId, key_secret: secret }),
  });
  assert.equal(response.status, 200);
  const { data } = (await response.json()) as { data: { access_token: string } };
  return { keyId, secret, token: data.access_token };
}

const registeredKeys = async ({ db }: TestContext): Promise<string[]> =>
  (await db.selectFrom('encryption_keys').select('key_id').execute()).map((row) => row.key_id);

test('rotates the key: reads old values, resumes after a kill, and finishes when nothing needs the old key', async () => {
  const url = await createDatabase();
  const before = await startApi(url, oldKey);
  const dormant = await before.issueKey();
  const written = await writeValues(before);
  const total = Object.values(await countByKey(before.context)).reduce((sum, count) => sum + count, 0);
  assert.ok(total >= sessions + 4, `${total} values`);

  const rotated = await startApi(url, newKey, oldKey);
  await assertReadable(rotated, written, before.key);
  await runJob(rotated.context);
  assert.match(lines.at(-1)?.message ?? '', /another process still encrypts with an older key/);
  await before.stop();

  const killed = runJob(rotated.context, ({ table }: { table?: string }) => {
    if (table === 'device_sessions') throw new Error('killed');
  });
  await assert.rejects(killed, /killed/);
  const midway = await countByKey(rotated.context);
  assert.ok((midway[oldId ?? ''] ?? 0) > 0 && (midway[newKeyId ?? ''] ?? 0) > 0, JSON.stringify(midway));
  await assertReadable(rotated, written, before.key);

  let resumed = 0;
  await runJob(rotated.context, (_labels, values) => {
    resumed += values;
  });
  assert.equal(resumed, midway[oldId ?? ''], 'the second run skips the values of the first');
  assert.deepEqual(Object.keys(await countByKey(rotated.context)), [newKeyId]);
  await assertReadable(rotated, written, before.key);

  assert.deepEqual(
    lines.at(-1)?.apiKeys?.toSorted(),
    [before.key.keyId, rotated.key.keyId, dormant.keyId].toSorted().filter((id) => id !== rotated.key.keyId),
  );
  await exchange(rotated, before.key);
  await rotated.api('PATCH', `/api-keys/${dormant.keyId}`, { body: { is_active: false } });
  await runJob(rotated.context);
  assert.match(lines.at(-1)?.message ?? '', /nothing needs the older encryption keys/);
  assert.deepEqual(await registeredKeys(rotated.context), [newKeyId]);

  const finished = await startApi(url, newKey);
  await assertReadable(finished, written, await exchange(finished, before.key));
  await assert.rejects(openTestContext(url, { encryptionKeys: [oldKey] }), { name: 'WrongEncryptionKey' });
});

test('a rotation covers every sealed column', async () => {
  const { context } = await startApi(await createDatabase(), oldKey);
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where column_name like '%\\_sealed' order by 1`.execute(context.db);
  assert.deepEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted(),
    rows.map(({ name }) => name),
  );
});

test('refuses to start without a key that the database needs, and changes nothing', async () => {
  const url = await createDatabase();
  const { context } = await startApi(url, oldKey);
  await assert.rejects(openTestContext(url, { encryptionKeys: [newKey] }), {
    name: 'WrongEncryptionKey',
    message: new RegExp(`ENCRYPTION_KEY lacks the key ${oldId} `),
  });
  assert.deepEqual(await registeredKeys(context), [oldId]);
});

test('keeps the key of version 0.1.0, which the database knows by a hash only', async () => {
  const url = await createDatabase();
  const { context, stop } = await startApi(url, oldKey);
  const check = context.encryption.keyedHash('key check', context.installationId);
  await eventually(async () => assert.deepEqual(await registeredKeys(context), [oldId]));
  await sql`update installation set key_check = ${check}, device_token_key_sealed = null`.execute(context.db);
  await sql`truncate encryption_keys`.execute(context.db);
  await assert.rejects(openTestContext(url, { encryptionKeys: [newKey] }), { name: 'WrongEncryptionKey' });
  assert.deepEqual(await registeredKeys(context), []);
  await stop();
  const { context: upgraded } = await startApi(url, newKey, oldKey);
  assert.deepEqual((await registeredKeys(upgraded)).toSorted(), [oldId, newKeyId].toSorted());
  assert.deepEqual(
    upgraded.deviceTokens.keyedHash('device-token', 'x'),
    createEncryption(oldKey).keyedHash('device-token', 'x'),
    'tokens of devices stay the same',
  );
});

test('accepts access tokens of an older key until it leaves the keyring', async () => {
  const url = await createDatabase();
  const before = await startApi(url, oldKey);
  const rotated = await startApi(url, newKey, oldKey);
  assert.equal((await rotated.api('GET', '/api-keys', { token: before.key.token })).status, 200);
  await before.stop();
  await exchange(rotated, before.key);
  await runJob(rotated.context);
  const finished = await startApi(url, newKey);
  assert.equal((await finished.api('GET', '/api-keys', { token: rotated.key.token })).status, 200);
  assert.equal((await finished.api('GET', '/api-keys', { token: before.key.token })).status, 401);
});

test('a device keeps its token over a rotation until the token is revoked', async () => {
  const app = await startDevicesApp();
  const pool = await app.startPool();
  const { teamId, botId } = await addTeamWithBot(app.context.db);
  const body = { team_id: teamId, bot_id: botId, name: 'Desk' };
  const { id, token } = (await app.api('POST', '/devices', { body })).body.data;
  await linkDevice(app, id, newPhone());
  const wake = async (given: string): Promise<number> => {
    const headers = { authorization: `Bearer ${given}` };
    return (await fetch(`${pool.url}/devices/${id}/wake`, { method: 'POST', headers })).status;
  };
  assert.equal(await wake(token), 200);

  const rotated = await startApi(app.databaseUrl, newKey, oldKey);
  assert.equal((await rotated.api('GET', `/devices/${id}`)).body.data.token, token);
  const revoked = await rotated.api('POST', `/devices/${id}/revoke-token`);
  assert.equal(revoked.status, 200);
  assert.notEqual(revoked.body.data.token, token);
  assert.equal((await app.api('GET', `/devices/${id}`)).body.data.token, revoked.body.data.token);
  assert.deepEqual([await wake(token), await wake(revoked.body.data.token)], [401, 200]);
  await waitForDevice(app, id, ({ connected }) => connected === true);
});
