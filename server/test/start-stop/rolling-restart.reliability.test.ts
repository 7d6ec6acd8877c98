import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { main } from '../../../scripts/demo/service-process.ts';
import { readSchemaVersion } from '../../src/platform/database/migrations.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { queryOnce } from '../embedded-members.ts';
import { type ServerProcess, serverProcesses } from '../faults/server-process.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createEmptyDatabase } from '../test-database.ts';
import { migrationsUpTo } from '../upgrade/migrations-up-to.ts';
import { checkOutRelease, findRelease } from './released-version.ts';
import { type Load, startLoad } from './rolling-load.ts';

const key = { key_id: 'pk_rolling_restart', key_secret: 'sk_rolling_restart' };
const roles = ['api', 'pool', 'worker'] as const;

/** Two processes of each role. */
interface Deployment {
  databaseUrl: string;
  load: Load;
  /** Replaces the first or second process of each role, one after the other, under load. */
  replace(which: 0 | 1, mainProgram: string): Promise<void>;
  /** Starts one more process, which may fail. */
  start(mainProgram: string): Promise<ServerProcess>;
  stop(): Promise<void>;
}

/** Starts the program on an empty database. */
async function startDeployment(program: string): Promise<Deployment> {
  const [database, network] = await Promise.all([createEmptyDatabase(), startTestNetwork()]);
  after(async () => {
    await network.close();
    await database.drop();
  });
  const processes = await serverProcesses({
    ROLES: 'api',
    DATABASE_URL: database.url,
    SIMULATOR_URL: network.url,
    RATE_LIMIT_PER_MINUTE: '0',
    DATABASE_POOL_SIZE: '6',
    BOOTSTRAP_KEY_ID: key.key_id,
    BOOTSTRAP_KEY_SECRET: key.key_secret,
  });
  const start = (mainProgram: string, role: string) =>
    processes.start({ ROLES: role }, { command: [process.execPath, mainProgram] });
  const running: Record<string, ServerProcess[]> = {};
  for (const role of roles) running[role] = [await start(program, role), await start(program, role)];
  const apiUrls = () => (running['api'] ?? []).map(({ url }) => url);
  const load = await startLoad({ databaseUrl: database.url, network, apiUrls, key });
  await load.advance();
  return {
    databaseUrl: database.url,
    load,
    async replace(which, mainProgram) {
      for (const [role, both] of Object.entries(running)) {
        both[which]?.stop();
        assert.equal(await both[which]?.ended, 0, `a ${role} failed to stop`);
        both[which] = await start(mainProgram, role);
        await load.advance();
      }
    },
    start: (mainProgram) => start(mainProgram, 'api'),
    async stop() {
      for (const process of Object.values(running).flat()) {
        process.stop();
        await process.ended;
      }
    },
  };
}

async function readSchema(databaseUrl: string): Promise<unknown> {
  const [row] = await queryOnce(databaseUrl, 'select max(version) as version from schema_migrations');
  return row?.['version'];
}

/** Columns of tables that every role reads, and an index on a large one. */
const laterMigrations = {
  '9001-columns.sql': ['messages', 'devices', 'bots', 'conversations', 'api_keys', 'plans', 'teams']
    .map((table) => `alter table ${table} add column later int not null default 0;`)
    .join('\n'),
  '9002-index.sql': `-- Without a transaction.
drop index concurrently if exists messages_later;
create index concurrently messages_later on messages (later) where later > 0;
`,
};

const incompatibleMigration = '-- Incompatible with earlier versions: a test says so.\nselect 1;\n';

test('no work is lost while every process is restarted one after the other, and while a later version migrates', async (t) => {
  const { load, replace, databaseUrl, start, stop } = await startDeployment(main);
  await replace(0, main);
  await replace(1, main);
  const directory = await migrationsUpTo(await readSchemaVersion());
  for (const [name, sql] of Object.entries(laterMigrations)) await writeFile(join(directory, name), sql);
  assert.deepEqual(await migrate(databaseUrl, { directory }), [9001, 9002]);
  await load.advance();
  t.diagnostic(await load.finish());
  await writeFile(join(directory, '9003-incompatible.sql'), incompatibleMigration);
  await assert.rejects(migrate(databaseUrl, { directory, olderVersionsMs: 0 }), {
    reason: 'older_version_running',
  });
  await stop();
  assert.deepEqual(await migrate(databaseUrl, { directory }), [9003]);
  await assert.rejects(start(main), /at schema version 9003/);
});

const release = findRelease();
const skip = release === null && 'this copy of the sources has no history with a release';

test('no work is lost while this version replaces the released one, and the other way round', {
  skip,
}, async (t: TestContext) => {
  const released = await checkOutRelease(release ?? assert.fail());
  const releasedMain = join(released, 'server/src/main.ts');
  const { load, replace, databaseUrl, stop } = await startDeployment(releasedMain);
  const releasedSchema = Number((await readdir(join(released, 'server/migrations'))).at(-1)?.slice(0, 4));
  assert.equal(await readSchema(databaseUrl), releasedSchema);
  await replace(0, main);
  assert.equal(await readSchema(databaseUrl), await readSchemaVersion());
  await replace(1, main);
  await replace(0, releasedMain);
  t.diagnostic(`${release?.version}: ${await load.finish()}`);
  await stop();
});
