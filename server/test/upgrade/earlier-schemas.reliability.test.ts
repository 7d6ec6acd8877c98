import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';
import pg from 'pg';
import { moveMediaJob } from '../../src/chat/messages/move-media.jobs.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { readFunctionFiles } from '../../src/platform/database/schema-functions.ts';
import { installJobSchema } from '../../src/platform/jobs/job-schema.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { createEmptyDatabase } from '../test-database.ts';
import { migrationsUpTo, shippedMigrations } from './migrations-up-to.ts';

/** Later migrations change tables that may have rows. */
const earliest = 8;

const silent = { warn: () => undefined, trace: () => undefined };

const versions = (await readdir(shippedMigrations))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => Number(name.slice(0, 4)))
  .sort((a, b) => a - b);

const [largeMedium, smallMedium] = [randomBytes(100_000), randomBytes(65_536)];

/** Their triggers are on tables or columns that an earlier schema lacks. */
const later = new Set([
  'audit_change.sql',
  'delete_people_without_memberships.sql',
  'record_device_event.sql',
  'record_template_event.sql',
]);
const earlierFunctions = (await readFunctionFiles()).filter(({ file }) => !later.has(file));

/** Inserts rows that every earlier schema accepts. Returns the id of the team that owns them. */
async function writeRows(client: pg.Client): Promise<string> {
  const [paying, free, deviceId] = [newId(), newId(), newId()];
  await client.query("insert into plans values ('own', true, 10, true, 1, 1, 1000, 10, 1, 10)");
  await client.query(
    `insert into teams (id, name, plan_name, paying, created_at) values
       ($1, 'Harbour Hotel', 'own', true, '2026-01-02'), ($2, 'Free Library', 'free', false, '2026-01-01')`,
    [paying, free],
  );
  await client.query(
    'insert into team_usage (team_id, documents, characters) values ($1, 2, 20), ($2, 0, 0)',
    [paying, free],
  );
  await client.query(
    `insert into documents (id, team_id, state, name, type, size, ai_provider_id, file_key, chars, charged_characters,
                            created_at)
     select gen_random_uuid(), $1, state, name, type, 1, 'ref', 'key', 10, 10, '2026-02-01'::timestamptz + nth * interval '1 day'
     from (values ('live', 'Menu.pdf', 'pdf', 1), ('live', 'Prices.txt', 'txt', 2), ('uploading', 'Half.pdf', 'pdf', 3))
       as given (state, name, type, nth)`,
    [paying],
  );
  // Inserted in the reverse order of their times.
  await client.query(
    `insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                           created_at)
     values (gen_random_uuid(), $1, $2, '+1555', 'in', 'contact', 'text', 'later', 'a', 'answered', '2026-03-02'),
            (gen_random_uuid(), $1, $2, '+1555', 'in', 'contact', 'text', 'earlier', 'b', 'answered', '2026-03-01')`,
    [paying, deviceId],
  );
  await client.query(
    `insert into message_media (message_id, position, kind, mime_type, bytes)
     select id, position, 'image', 'image/png', bytes
     from messages, (values (0, $1::bytea), (1, $2::bytea)) as given (position, bytes) where text = 'later'`,
    [largeMedium, smallMedium],
  );
  await client.query(
    `insert into pools (id, url, capacity, draining, lease_until)
     values (gen_random_uuid(), 'http://127.0.0.1:1', 10, true, now() - interval '1 day')`,
  );
  return paying;
}

/** Starts an API on a database that was filled under an earlier schema and then migrated. */
async function startUpgraded<Written>(version: number, write: (client: pg.Client) => Promise<Written>) {
  const database = await createEmptyDatabase();
  await migrate(database.url, { directory: await migrationsUpTo(version), functions: earlierFunctions });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  after(async () => {
    await client.end();
    await database.drop();
  });
  const written = await write(client);
  await migrate(database.url);
  await installJobSchema(database.url, silent);
  const context = await openTestContext(database.url);
  const app = await startApiOn(context);
  after(() => context.close());
  return { ...app, client, context, written };
}

for (const version of versions.slice(0, -1).filter((version) => version >= earliest)) {
  test(`keeps every row of a database at schema ${version}`, async () => {
    const { api, client, context, written: team } = await startUpgraded(version, writeRows);
    const listed = async (path: string, field: string) => {
      const { status, body } = await api('GET', path);
      assert.equal(status, 200, path);
      return [body.meta.total, body.data.map((item: Record<string, unknown>) => item[field])];
    };
    assert.deepEqual(await listed('/teams', 'name'), [2, ['Harbour Hotel', 'Free Library']]);
    assert.deepEqual(await listed('/teams?paying=true', 'name'), [1, ['Harbour Hotel']]);
    assert.deepEqual(await listed('/teams?name=libr', 'name'), [1, ['Free Library']]);
    assert.deepEqual(await listed('/documents', 'name'), [2, ['Prices.txt', 'Menu.pdf']]);
    assert.deepEqual(await listed('/documents?name=men', 'name'), [1, ['Menu.pdf']]);
    assert.deepEqual(await listed('/documents?type=txt', 'name'), [1, ['Prices.txt']]);
    assert.deepEqual(await listed(`/documents?team_id=${team}`, 'name'), [2, ['Prices.txt', 'Menu.pdf']]);
    assert.deepEqual(await listed(`/documents?team_id=${team}&type=pdf`, 'name'), [1, ['Menu.pdf']]);
    assert.deepEqual(await listed('/messages', 'text'), [2, ['later', 'earlier']]);
    assert.deepEqual(await listed('/plans', 'name'), [5, ['own', 'enterprise', 'pro', 'starter', 'free']]);
    assert.deepEqual(await listed('/pools', 'url'), [0, []]);
    const { body: messages } = await api('GET', '/messages');
    const downloaded = async () => (await api('GET', `/messages/${messages.data[0].id}/media`)).bytes;
    assert.ok(largeMedium.equals(await downloaded()));
    await moveMediaJob(context).run({}, new AbortController().signal);
    assert.ok(largeMedium.equals(await downloaded()));
    const { rows } = await client.query(
      'select octet_length(bytes) as bytes, size from message_media order by position',
    );
    assert.deepEqual(rows, [
      { bytes: null, size: 100_000 },
      { bytes: 65_536, size: null },
    ]);
  });
}

test('does not repeat a request whose result schema 13 stored unsealed', async () => {
  const unsealedResults = 13;
  const { api, client, key } = await startUpgraded(unsealedResults, (database) =>
    database.query(
      `insert into idempotency_keys (api_key_id, method, path, key, fingerprint, status, body, claim, claimed_until)
       values ('of the partner', 'POST', '/api/openapi/v1/teams', 'order 17', '', 200, '{"success": true}',
               gen_random_uuid(), '-infinity')`,
    ),
  );
  await client.query('update idempotency_keys set api_key_id = $1', [key.keyId]);
  const repeated = await api('POST', '/teams', {
    headers: { 'idempotency-key': 'order 17' },
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Once', plan_name: 'free' } },
  });
  assert.deepEqual([repeated.status, repeated.body.details.reason], [400, 'idempotency_in_flight']);
  assert.equal((await api('GET', '/teams')).body.meta.total, 0);
});
