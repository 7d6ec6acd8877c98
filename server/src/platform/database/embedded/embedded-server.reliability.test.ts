import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { queryOnce, startMember } from '../../../../test/embedded-members.ts';
import { createEncryption } from '../../shared/encryption.ts';
import { passwordFile } from './database-password.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { stopPostmaster } from './postmaster.ts';
import { readRunningPid } from './postmaster-lock.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
const cluster = join(dataDir, 'postgres/cluster');
const encryption = createEncryption(Buffer.alloc(32, 7));
const logger = { info() {}, warn() {}, error() {} };
after(async () => {
  // Only a failed test leaves it running.
  await stopPostmaster(cluster, 'immediate');
  await rm(dataDir, { recursive: true, force: true });
});

async function runningPid(): Promise<number> {
  const pid = await readRunningPid(cluster);
  assert.ok(pid !== undefined, 'no server is running');
  return pid;
}

test('two programs that start at once share one server, and the last one stops it', async () => {
  const [first, second] = await Promise.all([startMember(dataDir), startMember(dataDir)]);
  const url = first.joined.url ?? assert.fail(first.joined.error?.message);
  assert.equal(second.joined.url, url);
  await queryOnce(url, 'create table kept as select 1 as value');
  await first.release();
  assert.deepEqual(await queryOnce(url, 'select value from kept'), [{ value: 1 }]);
  await second.release();
  assert.equal(await readRunningPid(cluster), undefined);
  await assert.rejects(queryOnce(url, 'select'), { code: 'ENOENT' });
});

test('the server is durable, UTF-8, off the network and closed to other users', async () => {
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  const [row] = await queryOnce(
    server.url,
    `select current_database() as database, current_setting('fsync') as fsync,
            current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
            lower('ÄÉ') as lower, (select value from kept) as kept`,
  );
  assert.deepEqual(row, {
    database: 'parley',
    fsync: 'on',
    addresses: '',
    encoding: 'UTF8',
    lower: 'äé',
    kept: 1,
  });
  assert.equal((await stat(server.connectionOptions.host)).mode & 0o777, 0o700);
  await server.release();
});

test('accepts only the sealed password, of a role that cannot run programs', async () => {
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  for (const user of ['parley', 'parley_app']) {
    const url = new URL(server.url);
    Object.assign(url, { username: user, password: 'none' });
    await assert.rejects(queryOnce(url.href, 'select'), { code: '28P01' }, user);
  }
  const { password } = server.connectionOptions;
  assert.ok(password.length >= 32);
  assert.doesNotMatch(await readFile(passwordFile(dataDir), 'utf8'), new RegExp(password));
  assert.equal((await stat(passwordFile(dataDir))).mode & 0o777, 0o600);
  await assert.rejects(queryOnce(server.url, "copy (select 1) to program 'cat'"), { code: '42501' });
  await assert.rejects(queryOnce(server.url, "copy (select 1) to '/tmp/parley-copied'"), { code: '42501' });
  await assert.rejects(queryOnce(server.url, 'create role other superuser'), { code: '42501' });
  await queryOnce(server.url, 'create extension if not exists pg_trgm');
  await server.release();
});

test('keeps the password when the encryption key is rotated', async () => {
  const rotated = createEncryption(Buffer.alloc(32, 8), Buffer.alloc(32, 7));
  const before = await readFile(passwordFile(dataDir));
  const server = await startEmbeddedServer({ dataDir, encryption: rotated, logger });
  assert.deepEqual(await queryOnce(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.release();
  const [newKey, oldKey] = [createEncryption(Buffer.alloc(32, 8)), encryption];
  await assert.rejects(startEmbeddedServer({ dataDir, encryption: oldKey, logger }), {
    reason: 'password_sealed',
  });
  await (await startEmbeddedServer({ dataDir, encryption: newKey, logger })).release();
  await writeFile(passwordFile(dataDir), before);
});

test('never replaces a lost password by itself, and explains how to set a new one', async () => {
  const before = await readFile(passwordFile(dataDir), 'utf8');
  await rm(passwordFile(dataDir));
  await assert.rejects(startEmbeddedServer({ dataDir, encryption, logger }), {
    reason: 'password_lost',
    message: /put the line "local all all trust" at the top of pg_hba\.conf/,
  });
  const rules = join(cluster, 'pg_hba.conf');
  await writeFile(rules, `local all all trust\n${await readFile(rules, 'utf8')}`);
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  assert.notEqual(await readFile(passwordFile(dataDir), 'utf8'), before);
  assert.deepEqual(await queryOnce(server.url, 'select value from kept'), [{ value: 1 }]);
  const withoutPassword = new URL(server.url);
  withoutPassword.password = 'none';
  await assert.rejects(queryOnce(withoutPassword.href, 'select'), { code: '28P01' });
  await server.release();
});

test('the next program joins the server that a killed program left running', async () => {
  const killed = await startMember(dataDir);
  const pid = await runningPid();
  await killed.kill();
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  assert.equal(await runningPid(), pid);
  await server.release();
  assert.equal(await readRunningPid(cluster), undefined);
});

test('starts the server without secrets and PG* variables in its environment', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux shows the environment of another process');
  const env = { ...process.env, ENCRYPTION_KEY: 'canary', PGPORT: '1' };
  const member = await startMember(dataDir, { env });
  assert.doesNotMatch(await readFile(`/proc/${await runningPid()}/environ`, 'utf8'), /canary|PGPORT/);
  await member.release();
});

test('keeps the server running after Ctrl-C in the terminal of a program', async () => {
  const member = await startMember(dataDir, { detached: true });
  const pid = await runningPid();
  const group = member.process.pid ?? assert.fail('not started');
  const ended = new Promise((resolve) => member.process.once('exit', resolve));
  process.kill(-group, 'SIGINT');
  await ended;
  assert.deepEqual(await queryOnce(member.joined.url ?? '', 'select 1 as one'), [{ one: 1 }]);
  assert.equal(await runningPid(), pid);
  await (await startEmbeddedServer({ dataDir, encryption, logger })).release();
});

test('restarts a server that dies', { timeout: 30_000 }, async () => {
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  const pid = await runningPid();
  process.kill(pid, 'SIGKILL');
  while ([undefined, pid].includes(await readRunningPid(cluster))) await delay(10);
  // Members hold the shared lock.
  const locks = "select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted";
  while ((await queryOnce(server.url, locks).catch(() => [])).length === 0) await delay(10);
  assert.deepEqual(await queryOnce(server.url, 'select value from kept'), [{ value: 1 }]);
  await server.release();
  assert.equal(await readRunningPid(cluster), undefined);
});

test('a start during the stop of the last program results in a running server', async () => {
  let server = await startEmbeddedServer({ dataDir, encryption, logger });
  for (let round = 0; round < 5; round += 1) {
    const stopping = server.release();
    server = await startEmbeddedServer({ dataDir, encryption, logger });
    await stopping;
    assert.deepEqual(await queryOnce(server.url, 'select value from kept'), [{ value: 1 }]);
  }
  await server.release();
});

test('a second release has no effect', async () => {
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  await Promise.all([server.release(), server.release()]);
  assert.equal(await readRunningPid(cluster), undefined);
});

test('supports a data directory whose path is too long for a socket', async () => {
  const deep = join(dataDir, 'deep-'.repeat(30));
  const server = await startEmbeddedServer({ dataDir: deep, encryption, logger });
  assert.ok(server.connectionOptions.host.length < 80);
  assert.deepEqual(await queryOnce(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.release();
  await rm(join(server.connectionOptions.host, '..'), { recursive: true });
});

test('reports the message of PostgreSQL for a configuration error', async () => {
  const configuration = join(cluster, 'postgresql.auto.conf');
  const before = await readFile(configuration);
  await writeFile(configuration, "shared_buffers = 'plenty'\n");
  await assert.rejects(startEmbeddedServer({ dataDir, encryption, logger }), {
    reason: 'start_failed',
    message: /FATAL/,
  });
  await writeFile(configuration, before);
});
