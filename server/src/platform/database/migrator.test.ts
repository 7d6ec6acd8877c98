import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import pg from 'pg';
import { queryOnce } from '../../../test/embedded-members.ts';
import { eventually } from '../../../test/eventually.ts';
import { promptly } from '../../../test/promptly.ts';
import { createEmptyDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { requireSupportedPostgres } from './migration-refused.ts';
import { migrate, readPendingMigrations } from './migrator.ts';
import { showSchemaStatement } from './schema-users.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-migrations-'));
after(() => rm(scratch, { recursive: true, force: true }));

const shipped = join(import.meta.dirname, '../../../migrations');

const createPets = "create table pets (name text);\ninsert into pets values ('Rex');\n";

let database: TestDatabase;
let directory = '';
beforeEach(async () => {
  database = await createEmptyDatabase();
  directory = await mkdtemp(join(scratch, 'case-'));
  await write('0001-pets.sql', createPets);
  await write('0002-age.sql', 'alter table pets add column age int');
});
afterEach(() => database.drop());

const write = (name: string, sql: string) => writeFile(join(directory, name), sql);
const run = () => migrate(database.url, { directory });

/** Waits until a statement has waited for a lock for longer than `time`, an interval. */
const untilOneHasWaited = (client: pg.Client, time: string) =>
  eventually(async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event = 'advisory' and query_start < now() - $1::interval`,
      [time],
    );
    assert.equal(rows.length, 1);
  });

test('applies pending migrations once, in order, and records them', async () => {
  assert.deepEqual(await run(), [1, 2]);
  assert.deepEqual(await run(), []);
  await write('0003-second.sql', "insert into pets values ('Tom', 3)");
  assert.deepEqual(await run(), [3]);
  assert.deepEqual(await queryOnce(database.url, 'select version, name from schema_migrations order by 1'), [
    { version: 1, name: 'pets' },
    { version: 2, name: 'age' },
    { version: 3, name: 'second' },
  ]);
  assert.deepEqual(await queryOnce(database.url, 'select * from pets'), [
    { name: 'Rex', age: null },
    { name: 'Tom', age: 3 },
  ]);
});

test('applies each migration once from concurrent processes', async () => {
  const applied = await Promise.all([run(), run(), run(), run()]);
  assert.deepEqual(applied.flat(), [1, 2]);
});

test('reads applied migrations while a backup holds their table', async () => {
  assert.deepEqual(await readPendingMigrations(database.url), await migrate(database.url));
  const backup = new pg.Client({ connectionString: database.url });
  await backup.connect();
  await backup.query('begin isolation level repeatable read read only');
  await backup.query('select * from schema_migrations');
  const reads = Promise.all([migrate(database.url), readPendingMigrations(database.url)]);
  try {
    assert.deepEqual(await promptly(reads), [[], []]);
  } finally {
    await backup.end();
  }
  await queryOnce(database.url, 'alter table schema_migrations drop column incompatible');
  assert.deepEqual(await readPendingMigrations(database.url), [], 'of a version without incompatible ones');
  assert.deepEqual(await migrate(database.url), []);
  assert.deepEqual(await queryOnce(database.url, 'select distinct incompatible from schema_migrations'), [
    { incompatible: false },
  ]);
});

test('rolls back a failed migration and keeps the earlier ones', async () => {
  await write('0003-broken.sql', 'create table half (); select 1 / 0');
  await assert.rejects(run(), /Migration 3 \(broken\) failed.*division by zero/);
  const [row] = await queryOnce(
    database.url,
    "select max(version) as version, to_regclass('half') as half from schema_migrations",
  );
  assert.deepEqual(row, { version: 2, half: null });
});

test('rejects a database that lacks pg_trgm and cannot create it, and accepts it in any schema', async () => {
  const role = `bare_${randomBytes(4).toString('hex')}`;
  const name = new URL(database.url).pathname.slice(1);
  await queryOnce(database.url, `create role ${role} login; grant all on database ${name} to ${role}`);
  await queryOnce(database.url, `grant all on schema public to ${role}`);
  const bare = new URL(database.url);
  bare.username = role;
  const earlier = await mkdtemp(join(scratch, 'earlier-'));
  const isEarlier = (path: string) => !path.endsWith('.sql') || basename(path) < '0009';
  await cp(shipped, earlier, { recursive: true, filter: isEarlier });
  await migrate(bare.href, { directory: earlier });
  await queryOnce(database.url, `revoke all on database ${name} from ${role}`);
  await assert.rejects(migrate(bare.href), {
    name: 'MigrationRefused',
    reason: 'postgres_lacks',
    message: /needs the PostgreSQL extension pg_trgm.*permission denied.*CREATE EXTENSION pg_trgm/,
  });
  await queryOnce(database.url, 'create schema elsewhere; create extension pg_trgm schema elsewhere');
  await queryOnce(database.url, `grant usage on schema elsewhere to ${role}`);
  assert.equal((await migrate(bare.href))[0], 9);
  await queryOnce(database.url, `drop owned by ${role}; drop role ${role}`);
});

test('ignores the statement timeouts of the server', async () => {
  await queryOnce(
    database.url,
    "do $$ begin execute format('alter database %I set statement_timeout = 50', current_database()); end $$",
  );
  await write('0003-slow.sql', 'select pg_advisory_xact_lock(3)');
  const holder = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
  await holder.connect();
  await holder.query('select pg_advisory_lock(3)');
  const migrated = run();
  try {
    await Promise.race([migrated, untilOneHasWaited(holder, '60 milliseconds')]);
  } finally {
    await holder.end();
  }
  assert.deepEqual(await migrated, [1, 2, 3]);
});

const incompatible = '-- Incompatible with earlier versions: they insert no age.\n';

test('accepts the schema of a newer version, unless it is incompatible', async () => {
  await run();
  await write('0003-name.sql', 'alter table pets add column owner text');
  await run();
  await rm(join(directory, '0003-name.sql'));
  assert.deepEqual(await run(), []);
  await write('0003-name.sql', 'alter table pets add column owner text');
  await write('0004-age.sql', `${incompatible}alter table pets alter column age set not null`);
  await queryOnce(database.url, 'update pets set age = 1');
  await run();
  await rm(join(directory, '0004-age.sql'));
  await assert.rejects(run(), { reason: 'schema_newer', message: /version 4 \(age\).*only up to 3/ });
});

test('applies an incompatible migration only after the processes of older versions have ended', async () => {
  await run();
  await write('0003-incompatible.sql', `${incompatible}alter table pets add column owner text`);
  const process = new pg.Client({ connectionString: database.url });
  await process.connect();
  await process.query(showSchemaStatement(2));
  await assert.rejects(migrate(database.url, { directory, olderVersionsMs: 0 }), {
    reason: 'older_version_running',
    message: /schema 2 from .* stop these processes/,
  });
  await process.query(showSchemaStatement(3));
  assert.deepEqual(await migrate(database.url, { directory, olderVersionsMs: 0 }), [3]);
  await process.end();
});

test('waits for older processes that are ending', async () => {
  await write('0003-incompatible.sql', `${incompatible}select 1`);
  const process = new pg.Client({
    connectionString: database.url,
    application_name: 'parley notifications',
  });
  await process.connect();
  const [applied] = await Promise.all([run(), process.end()]);
  assert.deepEqual(applied, [1, 2, 3]);
});

test('builds an index concurrently while processes wait and write', async () => {
  await run();
  await write(
    '0003-index.sql',
    `-- Without a transaction.
     drop index concurrently if exists pets_name;
     create index concurrently pets_name on pets (name);
    `,
  );
  const applied = await Promise.all([run(), run(), run()]);
  assert.deepEqual(applied.flat(), [3]);
  assert.deepEqual(
    await queryOnce(database.url, "select indisvalid from pg_index where indexrelid = 'pets_name'::regclass"),
    [{ indisvalid: true }],
  );
});

test('lets others use a table while it waits for a lock on it, and then applies the migration', async () => {
  await run();
  await write('0003-owner.sql', 'alter table pets add column owner text');
  const [reader, other] = [database, database].map(({ url }) => new pg.Client({ connectionString: url }));
  await Promise.all([reader?.connect(), other?.connect()]);
  await reader?.query('begin; select from pets');
  const migrated = run();
  const isWaiting =
    "select from pg_stat_activity where wait_event = 'relation' and query like '%add column owner%'";
  await eventually(async () => assert.equal((await other?.query(isWaiting))?.rowCount, 1));
  await other?.query("set statement_timeout = '10s'; select from pets");
  await reader?.query('commit');
  assert.deepEqual(await migrated, [3]);
  await Promise.all([reader?.end(), other?.end()]);
});

test('rejects a migration that was edited after it ran, except for its line ends', async () => {
  await run();
  await write('0001-pets.sql', createPets.replaceAll('\n', '\r\n'));
  assert.deepEqual(await run(), []);
  await write('0002-age.sql', 'alter table pets add column age bigint');
  await assert.rejects(run(), { reason: 'migration_changed', message: /Migration 2 \(age\)/ });
});

test('rejects a new migration below one that already ran', async () => {
  await write('0004-late.sql', 'select 1');
  await run();
  await write('0003-forgotten.sql', 'select 1');
  await assert.rejects(run(), { reason: 'migration_out_of_order', message: /Migration 3 \(forgotten\)/ });
});

test('rejects file names that leave the order open', async () => {
  await write('0002-again.sql', 'select 1');
  await assert.rejects(run(), /have version 2/);
  await rm(join(directory, '0002-again.sql'));
  await write('later.sql', 'select 1');
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
