import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import pg from 'pg';
import { queryOnce } from '../../test/embedded-members.ts';
import { eventually } from '../../test/eventually.ts';
import { createEmptyDatabase, type TestDatabase } from '../../test/test-database.ts';
import { requireSupportedPostgres } from './migration-refused.ts';
import { migrate } from './migrator.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-migrations-'));
after(() => rm(scratch, { recursive: true, force: true }));

const shipped = join(import.meta.dirname, '../../migrations');

const PETS = "CREATE TABLE pets (name text);\nINSERT INTO pets VALUES ('Rex');\n";

let database: TestDatabase;
let directory = '';
beforeEach(async () => {
  database = await createEmptyDatabase();
  directory = await mkdtemp(join(scratch, 'case-'));
  await write('0001-pets.sql', PETS);
  await write('0002-age.sql', 'ALTER TABLE pets ADD COLUMN age int');
});
afterEach(() => database.drop());

const write = (name: string, sql: string) => writeFile(join(directory, name), sql);
const run = () => migrate(database.url, { directory });

/** Waits until a statement has waited for a lock for longer than `time`, an interval. */
const untilOneHasWaited = (client: pg.Client, time: string) =>
  eventually(async () => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = 'advisory' AND query_start < now() - $1::interval`,
      [time],
    );
    assert.equal(rows.length, 1);
  });

test('applies pending migrations once, in order, and records them', async () => {
  assert.deepEqual(await run(), [1, 2]);
  assert.deepEqual(await run(), []);
  await write('0003-second.sql', "INSERT INTO pets VALUES ('Tom', 3)");
  assert.deepEqual(await run(), [3]);
  assert.deepEqual(await queryOnce(database.url, 'SELECT version, name FROM schema_migrations ORDER BY 1'), [
    { version: 1, name: 'pets' },
    { version: 2, name: 'age' },
    { version: 3, name: 'second' },
  ]);
  assert.deepEqual(await queryOnce(database.url, 'SELECT * FROM pets'), [
    { name: 'Rex', age: null },
    { name: 'Tom', age: 3 },
  ]);
});

test('applies each migration once from concurrent processes', async () => {
  const applied = await Promise.all([run(), run(), run(), run()]);
  assert.deepEqual(applied.flat(), [1, 2]);
});

test('rolls back a failed migration and keeps the earlier ones', async () => {
  await write('0003-broken.sql', 'CREATE TABLE half (); SELECT 1 / 0');
  await assert.rejects(run(), /Migration 3 \(broken\) failed.*division by zero/);
  const [row] = await queryOnce(
    database.url,
    "SELECT max(version) AS version, to_regclass('half') AS half FROM schema_migrations",
  );
  assert.deepEqual(row, { version: 2, half: null });
});

test('rejects a database that lacks pg_trgm and cannot create it, and accepts it in any schema', async () => {
  const role = `bare_${randomBytes(4).toString('hex')}`;
  const name = new URL(database.url).pathname.slice(1);
  await queryOnce(database.url, `CREATE ROLE ${role} LOGIN; GRANT ALL ON DATABASE ${name} TO ${role}`);
  await queryOnce(database.url, `GRANT ALL ON SCHEMA public TO ${role}`);
  const bare = new URL(database.url);
  bare.username = role;
  const earlier = await mkdtemp(join(scratch, 'earlier-'));
  const isEarlier = (path: string) => !path.endsWith('.sql') || basename(path) < '0009';
  await cp(shipped, earlier, { recursive: true, filter: isEarlier });
  await migrate(bare.href, { directory: earlier });
  await queryOnce(database.url, `REVOKE ALL ON DATABASE ${name} FROM ${role}`);
  await assert.rejects(migrate(bare.href), {
    name: 'MigrationRefused',
    reason: 'postgres_lacks',
    message: /needs the PostgreSQL extension pg_trgm.*permission denied.*CREATE EXTENSION pg_trgm/,
  });
  await queryOnce(database.url, 'CREATE SCHEMA elsewhere; CREATE EXTENSION pg_trgm SCHEMA elsewhere');
  await queryOnce(database.url, `GRANT USAGE ON SCHEMA elsewhere TO ${role}`);
  assert.equal((await migrate(bare.href))[0], 9);
  await queryOnce(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test('ignores the statement timeouts of the server', async () => {
  await queryOnce(
    database.url,
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 50', current_database()); END $$",
  );
  await write('0003-slow.sql', 'SELECT pg_advisory_xact_lock(3)');
  const holder = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(3)');
  const migrated = run();
  try {
    await Promise.race([migrated, untilOneHasWaited(holder, '60 milliseconds')]);
  } finally {
    await holder.end();
  }
  assert.deepEqual(await migrated, [1, 2, 3]);
});

test('rejects a database that a newer version migrated', async () => {
  await run();
  await rm(join(directory, '0002-age.sql'));
  await assert.rejects(run(), { reason: 'schema_newer', message: /version 2 \(age\).*only up to 1/ });
});

test('rejects a migration that was edited after it ran, except for its line ends', async () => {
  await run();
  await write('0001-pets.sql', PETS.replaceAll('\n', '\r\n'));
  assert.deepEqual(await run(), []);
  await write('0002-age.sql', 'ALTER TABLE pets ADD COLUMN age bigint');
  await assert.rejects(run(), { reason: 'migration_changed', message: /Migration 2 \(age\)/ });
});

test('rejects a new migration below one that already ran', async () => {
  await write('0004-late.sql', 'SELECT 1');
  await run();
  await write('0003-forgotten.sql', 'SELECT 1');
  await assert.rejects(run(), { reason: 'migration_out_of_order', message: /Migration 3 \(forgotten\)/ });
});

test('rejects file names that leave the order open', async () => {
  await write('0002-again.sql', 'SELECT 1');
  await assert.rejects(run(), /have version 2/);
  await rm(join(directory, '0002-again.sql'));
  await write('later.sql', 'SELECT 1');
  await assert.rejects(run(), /later\.sql is not named like a migration/);
});

test('rejects PostgreSQL older than 17', () => {
  for (const version of ['16.9', '9.6.24', '15.3 (Debian 15.3-1.pgdg120+1)']) {
    assert.throws(() => requireSupportedPostgres(version), {
      reason: 'postgres_too_old',
      message: /PostgreSQL 17 or newer/,
    });
  }
  for (const version of ['17.0', '18.4', '19beta1']) requireSupportedPostgres(version);
});
