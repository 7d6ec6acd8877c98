import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { createOwnedDevice } from '../../../test/owned-device.ts';
import { populateTeam } from '../../../test/team-fixture.ts';
import type { Topic } from '../../platform/database/notifications.ts';
import { newId } from '../../platform/shared/ids.ts';
import { writeEntries } from '../../pool/session-store.queries.ts';
import { teamRoutes } from '../../tenancy/teams/teams.routes.ts';
import { deleteTeamRoutes } from './delete-team.routes.ts';

const { api, issueKey, context } = await startTestApp({
  routes: (deps) => [teamRoutes(deps), deleteTeamRoutes(deps)],
});
const { db, notifications } = context;

async function newTeam(): Promise<string> {
  const body = { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Doomed' } };
  return (await api('POST', '/teams', { body })).body.data.team.id;
}

const tables = [
  'teams',
  'team_usage',
  'monthly_usage',
  'users',
  'api_keys',
  'bots',
  'bot_documents',
  'documents',
  'devices',
] as const;

async function rowsOf(teamId: string): Promise<Record<string, number>> {
  const counts = tables.map(async (table) => {
    const rows = await (table === 'teams'
      ? db.selectFrom('teams').select('id').where('id', '=', teamId).execute()
      : db.selectFrom(table).select('team_id').where('team_id', '=', teamId).execute());
    return [table, rows.length] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

const nothing = Object.fromEntries(tables.map((table) => [table, 0]));

test('deletes a team with everything it owns and schedules the deletion of its external objects', async () => {
  const [doomed, other] = [await newTeam(), await newTeam()];
  const { botId, documentId, poolId, devices } = await populateTeam(db, doomed);
  await populateTeam(db, other);
  const before = await rowsOf(other);
  const { status, body } = await api('DELETE', `/teams/${doomed}`);
  assert.equal(status, 200);
  assert.equal(typeof body.data.message, 'string');

  assert.deepEqual(await rowsOf(doomed), nothing);
  assert.deepEqual(await rowsOf(other), before);
  assert.equal((await api('GET', `/teams/${doomed}`)).status, 404);
  const scheduled = await db.selectFrom('tombstones').selectAll().execute();
  assert.deepEqual(
    scheduled
      .map(({ team_id, kind, ref }) => ({ team_id, kind, ref }))
      .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    [
      { team_id: doomed, kind: 'assistant', ref: `asst_${botId}` },
      { team_id: doomed, kind: 'document', ref: `file_${documentId}` },
      { team_id: doomed, kind: 'file', ref: `key_${documentId}` },
      { team_id: doomed, kind: 'knowledge', ref: `vs_${botId}` },
      { team_id: doomed, kind: 'session', ref: devices.running },
      { team_id: doomed, kind: 'team_rows', ref: doomed },
    ],
  );
  const pool = await db
    .selectFrom('pools')
    .select('devices')
    .where('id', '=', poolId)
    .executeTakeFirstOrThrow();
  assert.equal(pool.devices, 1, 'two pool slots are released once');
});

test('schedules the deletion of incomplete bots and uploads of the team', async () => {
  const doomed = await newTeam();
  const [botId, documentId] = [newId(), newId()];
  await sql`
    insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                      chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests, capture_payments,
                      break_lines, questions)
    values (${botId}, ${doomed}, 'creating', 'Desk', '', '', '', '', 0, 1, false, false, false, false, false, '[]')`.execute(
    db,
  );
  await sql`
    insert into documents (id, team_id, state, name, type, size, chars, charged_characters)
    values (${documentId}, ${doomed}, 'uploading', 'a.txt', 'txt', 1, 1, 1)`.execute(db);
  assert.equal((await api('DELETE', `/teams/${doomed}`)).status, 200);
  const scheduled = await db
    .selectFrom('tombstones')
    .select(['kind', 'ref'])
    .where('team_id', '=', doomed)
    .where('kind', '<>', 'team_rows')
    .orderBy('kind')
    .orderBy('ref')
    .execute();
  assert.deepEqual(scheduled, [
    { kind: 'file', ref: `staged/${doomed}/${documentId}` },
    { kind: 'tagged', ref: botId },
    { kind: 'tagged', ref: documentId },
  ]);
});

test('notifies other processes', async () => {
  const doomed = await newTeam();
  const { devices } = await populateTeam(db, doomed);
  const { keyId } = await issueKey({ teamId: doomed });
  const heard: [Topic, string][] = [];
  for (const topic of ['device-changed', 'api-key-changed'] as const) {
    notifications.subscribe(topic, (id) => heard.push([topic, id]));
  }
  await api('DELETE', `/teams/${doomed.toUpperCase()}`);
  assert.deepEqual(heard.sort(), [
    ['api-key-changed', keyId],
    ...[devices.running, devices.idle].sort().map((id) => ['device-changed', id]),
  ]);
});

test('invalidates the keys and tokens of a deleted team', async () => {
  const doomed = await newTeam();
  const { keyId, secret, token } = await issueKey({ teamId: doomed });
  assert.equal((await api('GET', `/teams/${doomed}`, { token })).status, 200);
  await api('DELETE', `/teams/${doomed}`);
  await eventually(async () => assert.equal((await api('GET', '/teams', { token })).status, 401), 1000);
  const body = { key_id: keyId, key_secret: secret };
  assert.equal((await api('POST', '/api/openapi/auth/token', { token: null, body })).status, 401);
});

test('deletes a team once for concurrent requests', async () => {
  const doomed = await newTeam();
  await populateTeam(db, doomed);
  const answers = await Promise.all(Array.from({ length: 5 }, () => api('DELETE', `/teams/${doomed}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
  const scheduled = await db.selectFrom('tombstones').select('ref').where('team_id', '=', doomed).execute();
  assert.equal(scheduled.length, 6);
});

test('rejects keys of scope team and returns 404 for an unknown team', async () => {
  const [mine, other] = [await newTeam(), await newTeam()];
  const { token } = await issueKey({ teamId: mine });
  for (const id of [mine, other]) {
    const { status, body } = await api('DELETE', `/teams/${id}`, { token });
    assert.deepEqual([status, body.code], [403, 'FORBIDDEN']);
  }
  assert.equal((await api('DELETE', `/teams/${crypto.randomUUID()}`)).status, 404);
  assert.equal((await api('DELETE', '/teams/zz')).status, 404);
  assert.equal((await api('DELETE', `/teams/${mine}`, { token: null })).status, 401);
});

test('leaves no credentials behind that a device receives while its team is deleted', async () => {
  const owner = await createOwnedDevice(db);
  const deleting = await db.transaction().execute(async (tx) => {
    const entry = { kind: 'simulator', id: 'credential', sealed: Buffer.from('secret') };
    assert.equal(await writeEntries(tx, owner, [entry]), true);
    const deletion = api('DELETE', `/teams/${owner.teamId}`);
    await waitForLockWaiter(db, 'devices');
    return { deletion };
  });
  assert.equal((await deleting.deletion).status, 200);
  const { rows } = await sql`
    select from tombstones where kind = 'session' and ref = ${owner.deviceId}`.execute(db);
  assert.equal(rows.length, 1);
});
