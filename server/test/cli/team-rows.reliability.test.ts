import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { sealedSessions } from '../../src/devices/device-sessions.sql.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { eventually } from '../eventually.ts';
import { type PopulatedTeam, populateTeam } from '../team-fixture.ts';
import { type Cell, createCell } from './team-cells.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-team-rows-'));
after(() => rm(scratch, { recursive: true, force: true }));

const [old, next] = await Promise.all([createCell(scratch, 1), createCell(scratch, 2)]);
const entryId = 'a\\b\tc\nd';

let [teamId, folder, key] = ['', '', ''];
let team: PopulatedTeam;
beforeEach(async () => {
  teamId = newId();
  folder = join(scratch, `export-${teamId}`);
  await sql`
    insert into teams (id, name, plan_name, paying, banned)
    values (${teamId}, 'Harbour', 'pro', true, true)`.execute(old.db);
  team = await populateTeam(old.db, teamId);
  const context = sealedSessions.context(team.devices.running, 'creds', entryId);
  await sql`
    update device_sessions
    set entry_id = ${entryId}, value_sealed = ${old.encryption.seal(Buffer.from('noise'), context)}
    where device_id = ${team.devices.running}`.execute(old.db);
  key = `${teamId}/${team.documentId}.txt`;
  await sql`update documents set file_key = ${key} where id = ${team.documentId}`.execute(old.db);
  await old.files.put(key, Buffer.from('x'));
});

async function exportTeam(): Promise<void> {
  const { code, stdout, stderr } = await old.run('export', teamId, folder);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /exported Harbour: \d+ rows, 1 files/);
}

async function refused(cell: Cell, ...args: string[]): Promise<string> {
  const { code, stderr } = await cell.run(...args);
  assert.equal(code, 1, stderr);
  return stderr;
}

const selectMessages = async ({ db }: Cell): Promise<object[]> =>
  (
    await sql<object>`
    select id, length(text) as length, claimed_until from messages where team_id = ${teamId} order by seq`.execute(
      db,
    )
  ).rows;

test('keeps the order of messages, drops claims, and seals secrets with the key of the new deployment', async () => {
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                          claimed_until)
    select gen_random_uuid(), ${teamId}, ${team.devices.running}, '+15550199', 'in', 'contact', 'text',
           n || repeat('x', n * 37 % 3001), n::text, 'answered', case when n % 3 = 0 then now() end
    from generate_series(1, 3000) n`.execute(old.db);
  await exportTeam();
  const { code, stdout, stderr } = await next.run('import', folder);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /imported Harbour/);
  const expected = (await selectMessages(old)).map((message) => ({ ...message, claimed_until: null }));
  assert.deepEqual(await selectMessages(next), expected);
  const { rows } = await sql<{ value: Buffer; entryId: string }>`
    select value_sealed as value, entry_id as "entryId" from device_sessions
    where device_id = ${team.devices.running}`.execute(next.db);
  const [session = { value: Buffer.of(), entryId: '' }] = rows;
  assert.equal(session.entryId, entryId);
  const context = sealedSessions.context(team.devices.running, 'creds', entryId);
  assert.equal(next.encryption.open(session.value, context).toString(), 'noise');
  assert.equal(Buffer.from((await next.files.get(key)) ?? []).toString(), 'x');
});

test('does not hold back the events of other teams during an export', async () => {
  await old.db.connection().execute(async (blocker) => {
    await sql`begin`.execute(blocker);
    await sql`lock table embedded_provider.postings`.execute(blocker);
    const exported = exportTeam();
    await eventually(async () => {
      const { rows } = await sql<{ hasId: boolean }>`
        select backend_xid is not null as "hasId" from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'copy %'`.execute(
        old.db,
      );
      assert.deepEqual(rows, [{ hasId: false }]);
    }, 90_000);
    await sql`rollback`.execute(blocker);
    await exported;
  });
});

test('leaves nothing of an import whose files cannot be stored', async () => {
  await exportTeam();
  await rm(join(next.dataDir, 'files'), { recursive: true, force: true });
  await writeFile(join(next.dataDir, 'files'), 'not a folder');
  const failed = await next.run('import', folder);
  assert.notEqual(failed.code, 0, failed.stdout);
  const { rows } = await sql`select from teams where id = ${teamId}`.execute(next.db);
  assert.equal(rows.length, 0);
  await rm(join(next.dataDir, 'files'));
  const again = await next.run('import', folder);
  assert.match(again.stdout, /imported Harbour/, again.stderr);
  assert.notEqual(await next.files.get(key), null);
  assert.match(await refused(next, 'import', folder), /is in this deployment already/);
});

test('imports nothing if a file of the folder is damaged', async () => {
  await exportTeam();
  await writeFile(join(folder, 'files', key), 'y');
  assert.match(await refused(next, 'import', folder), /is damaged: it has another checksum/);
  const { rows } = await sql`select from teams where id = ${teamId}`.execute(next.db);
  assert.equal(rows.length, 0);
});

test('refuses an import while the deployment still deletes the team', async () => {
  await exportTeam();
  await sql`
    insert into tombstones (id, team_id, kind, ref) values (${newId()}, ${teamId}, 'team_rows', ${teamId})`.execute(
    next.db,
  );
  assert.match(await refused(next, 'import', folder), /still deletes .* of the team .*: retry later/);
});

test('refuses teams whose documents are not in the database, before and after the move', async () => {
  await sql`insert into knowledge_moves (team_id) values (${teamId})`.execute(old.db);
  assert.match(await refused(old, 'export', teamId, folder), /documents .* are at OpenAI/);
  await sql`delete from knowledge_moves`.execute(old.db);
  await exportTeam();
  await sql`update installation set knowledge_place = 'openai'`.execute(next.db);
  assert.match(await refused(next, 'import', folder), /keeps documents at OpenAI/);
  await sql`update installation set knowledge_place = 'database'`.execute(next.db);
});

test('accepts a team id in capitals, and closes an existing folder to other users', async () => {
  await sql`
    insert into embedded_provider.assistants (ref, installation_id, team_id, object_id, operation, created_at)
    values (${newId()}, (select id::text from installation), ${teamId}, ${team.botId}, ${newId()}, now())`.execute(
    old.db,
  );
  await mkdir(folder);
  await chmod(folder, 0o755);
  const { code, stderr } = await old.run('export', teamId.toUpperCase(), folder);
  assert.equal(code, 0, stderr);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const manifest = JSON.parse(await readFile(join(folder, 'team.json'), 'utf8'));
  assert.equal(manifest.teamId, teamId);
  assert.deepEqual(Object.keys(manifest.files), [key]);
  assert.equal(
    manifest.tables.find(({ name }: { name: string }) => name === 'embedded_provider.assistants').rows,
    1,
  );
});

test('refuses an export without the file of a document', async () => {
  await old.files.delete(key);
  assert.match(await refused(old, 'export', teamId, folder), new RegExp(`lacks .*${key}`));
});

test('releases phones without events', async () => {
  await sql`update devices set logged_in = true where id = ${team.devices.running}`.execute(old.db);
  const events = async (): Promise<object[]> =>
    (await sql<object>`select type from events where team_id = ${teamId}`.execute(old.db)).rows;
  const before = await events();
  const released = await old.run('release', teamId.toUpperCase());
  assert.match(released.stdout, /Harbour: 1 devices? no longer ha/, released.stderr);
  assert.deepEqual(await events(), before);
  const { rows } = await sql`select from device_sessions where device_id = ${team.devices.running}`.execute(
    old.db,
  );
  assert.equal(rows.length, 0);
});
