import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { main, startService } from '../../../scripts/demo/service-process.ts';
import { readRunningPid } from '../../src/platform/database/embedded/postmaster-lock.ts';
import { getPort } from '../../src/platform/shared/listening.ts';
import { queryOnce } from '../embedded-members.ts';
import { openInstallation, ordinary } from '../open-installation.ts';
import { startScratchServer } from '../scratch-server.ts';
import { createTestDatabase } from '../test-database.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-refused-'));
after(() => rm(folder, { recursive: true, force: true }));

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** Starts the service, which must exit with code 1. Returns its standard error. */
async function startExpectingFailure(
  environment: Record<string, string>,
  launch: { uid?: number; gid?: number; cwd?: string; node?: string; program?: string } = {},
): Promise<string> {
  const settings = { PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' };
  const env = { ...process.env, ...settings, ...environment };
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stderr: string }>();
  const { node = process.execPath, program = main, ...account } = launch;
  const options = { env, ...account, timeout: 60_000, killSignal: 'SIGKILL' as const };
  execFile(node, [program], options, (error, _stdout, stderr) =>
    resolve({ code: error === null ? 0 : error.code, stderr }),
  );
  const { code, stderr } = await promise;
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^Parley could not start: /);
  assert.doesNotMatch(stderr, /\n\s+at /, 'the error contains no stack trace');
  return stderr;
}

/** Starts the service and stops it. */
async function startAndStop(environment: Record<string, string>): Promise<void> {
  const settings = { PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' };
  const service = await startService({ ...settings, ...environment }, join(folder, `${randomUUID()}.log`));
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
}

/** Listens on a port and returns it. */
async function occupyPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  return String(getPort(server));
}

describe('a failed start reports the reason in one message', { concurrency: 2 }, () => {
  test('names every configuration error', async () => {
    const stderr = await startExpectingFailure({
      PORT: '70000',
      ROLES: 'api,chef',
      DATABASE_URL: 'mysql://root:hunter22@db/x',
      LOG_LEVEL: 'loud',
      ENCRYPTION_KEY: 'short',
    });
    for (const name of ['PORT', 'ROLES', 'DATABASE_URL', 'LOG_LEVEL', 'ENCRYPTION_KEY'])
      assert.match(stderr, new RegExp(`^  ${name}: must `, 'm'));
    assert.doesNotMatch(stderr, /hunter22/);
  });

  test('an external database without an encryption key', async () => {
    assert.match(
      await startExpectingFailure({ DATABASE_URL: 'postgres://db/parley' }),
      /ENCRYPTION_KEY: is required/,
    );
  });

  test('a simulated network next to another one', async () => {
    const stderr = await startExpectingFailure({ MESSAGING_NETWORK: 'whatsapp', ROLES: 'simulator' });
    assert.match(stderr, /ROLES: the role simulator requires MESSAGING_NETWORK=simulator/);
  });

  test('an unreachable database', async () => {
    const stderr = await startExpectingFailure({
      DATABASE_URL: 'postgres://parley:hunter22@127.0.0.1:1/parley',
      ENCRYPTION_KEY: key(1),
      STARTUP_WAIT_SECONDS: '1',
    });
    assert.match(stderr, /database at 127\.0\.0\.1:1\/parley cannot be used: connect ECONNREFUSED/);
    assert.doesNotMatch(stderr, /hunter22/);
  });

  test('a database user that may not create tables, or may only read', async () => {
    const server = await startScratchServer();
    await queryOnce(server.url, 'create role reader login');
    const reader = new URL(server.url);
    reader.username = 'reader';
    assert.match(
      await startExpectingFailure({ DATABASE_URL: reader.href, ENCRYPTION_KEY: key(1) }),
      /database refused a statement: permission denied for schema public \(42501\) \(see DATABASE_URL\)/,
    );
    await queryOnce(server.url, 'alter database postgres set default_transaction_read_only = on');
    assert.match(
      await startExpectingFailure({ DATABASE_URL: server.url, ENCRYPTION_KEY: key(1) }),
      /refused a statement: cannot execute .* in a read-only transaction \(25006/,
    );
    await server.remove();
  });

  test('a port in use', async () => {
    const used = await occupyPort();
    for (const variable of ['PORT', 'POOL_PORT', 'METRICS_PORT']) {
      const stderr = await startExpectingFailure({ [variable]: used, DATA_DIR: join(folder, 'port') });
      assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${used}; another program uses this port`));
    }
  });

  test('a database with a newer, incompatible schema', async () => {
    const database = await createTestDatabase();
    await queryOnce(
      database.url,
      "insert into schema_migrations (version, name, checksum, incompatible) values (9999, 'from-the-future', '', true)",
    );
    const stderr = await startExpectingFailure({ DATABASE_URL: database.url, ENCRYPTION_KEY: key(1) });
    assert.match(stderr, /schema version 9999 \(from-the-future\).*start the newer Parley/);
    await database.drop();
  });

  test('a database encrypted with another key; it stays usable with the right one', async () => {
    const database = await createTestDatabase();
    const DATA_DIR = join(folder, 'sealed');
    const started = { DATA_DIR, DATABASE_URL: database.url, ENCRYPTION_KEY: key(1) };
    await startAndStop(started);
    const stderr = await startExpectingFailure({ ...started, ENCRYPTION_KEY: key(2) });
    assert.match(
      stderr,
      /ENCRYPTION_KEY lacks the key [0-9a-f]{16} that values in this database are encrypted with/,
    );
    await startAndStop(started);
    await database.drop();
  });

  test('a DATA_DIR with the documents of another database', async () => {
    const [first, second] = [await createTestDatabase(), await createTestDatabase()];
    await queryOnce(second.url, 'update installation set id = gen_random_uuid()');
    const shared = { DATA_DIR: join(folder, 'shared'), ENCRYPTION_KEY: key(1) };
    await startAndStop({ ...shared, DATABASE_URL: first.url });
    const stderr = await startExpectingFailure({ ...shared, DATABASE_URL: second.url });
    assert.match(stderr, /DATA_DIR \(.*shared\) holds the documents of another database/);
    await startAndStop({ ...shared, DATABASE_URL: first.url });
    await rm(join(shared.DATA_DIR, 'installation-id'));
    await startAndStop({ ...shared, DATABASE_URL: second.url });
    await first.drop();
    await second.drop();
  });

  test('a DATA_DIR without the files of the database', async () => {
    const database = await createTestDatabase();
    const common = { DATABASE_URL: database.url, ENCRYPTION_KEY: key(1) };
    const one = { ...common, DATA_DIR: join(folder, 'one') };
    const other = { ...common, DATA_DIR: join(folder, 'other') };
    await startAndStop(one);
    const remoteNetwork = { SIMULATOR_URL: 'http://127.0.0.1:9' };
    const elsewhere = { ...other, ...remoteNetwork };
    assert.match(
      await startExpectingFailure({ ...elsewhere, ROLES: 'worker' }),
      /\(.*other\) is not where this database's files are/,
    );
    // A pool goes on, because it needs the files for large media only.
    await startAndStop({ ...elsewhere, ROLES: 'pool' });
    const stderr = await startExpectingFailure(other);
    assert.match(stderr, /DATA_DIR \(.*other\) is not where this database's files are/);
    await startAndStop(one);
    await queryOnce(database.url, /: (update .*;)$/m.exec(stderr)?.[1] ?? '');
    await startAndStop(other);
    assert.match(await startExpectingFailure(one), /\(.*one\) is not where this database's files are/);
    await database.drop();
  });

  test('a DATA_DIR that is a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    assert.match(await startExpectingFailure({ DATA_DIR: file }), /under DATA_DIR \(.*file\): EEXIST/);
    assert.match(
      await startExpectingFailure({ DATA_DIR: join(file, 'data') }),
      /under DATA_DIR \(.*data\): ENOTDIR/,
    );
  });

  test('a DATA_DIR that is not writable', async () => {
    const denied = join(folder, 'denied');
    await mkdir(denied);
    await chmod(folder, 0o755);
    await chmod(denied, 0o555);
    const { root, node } = await openInstallation();
    const program = join(root, 'server/src/main.ts');
    const account = process.getuid?.() === 0 ? ordinary : {};
    const stderr = await startExpectingFailure(
      { DATA_DIR: denied },
      { ...account, cwd: folder, node, program },
    );
    assert.match(stderr, /under DATA_DIR \(.*denied\): EACCES/);
  });

  test('a lost or damaged file of the generated key', async () => {
    const dataDir = join(folder, 'own');
    const file = join(dataDir, 'encryption-key');
    const settings = { DATA_DIR: dataDir };
    await startAndStop(settings);
    const original = await readFile(file, 'utf8');
    await rm(file);
    assert.match(
      await startExpectingFailure(settings),
      /own\/encryption-key is missing, but there is a database beside it/,
    );
    assert.equal(existsSync(file), false, 'the start wrote no new key');
    await writeFile(file, original.slice(0, 10));
    assert.match(
      await startExpectingFailure(settings),
      /own\/encryption-key does not hold 32 bytes in base64/,
    );
    await writeFile(file, original);
    await startAndStop(settings);
    assert.equal(await readRunningPid(join(dataDir, 'postgres/cluster')), undefined);
  });
});
