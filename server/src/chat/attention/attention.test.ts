import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeam } from '../../../test/bots.ts';
import { addBotRow } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { newId } from '../../platform/shared/ids.ts';
import { attentionRoutes } from './attention.routes.ts';
import type { Attention } from './attention.schemas.ts';

let isLow = false;
const { api, issueKey, context } = await startTestApp({
  routes: ({ db, clock }) => [attentionRoutes({ db, clock, storage: { isLow: async () => isLow } })],
});
const { db } = context;

async function read(teamId: string, query = ''): Promise<Attention> {
  const { token } = await issueKey({ teamId, role: 'viewer' });
  const { status, body } = await api('GET', `/attention${query}`, { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const reasonsOf = ({ kinds }: Attention, kind: string) =>
  kinds.find((found) => found.kind === kind)?.items.map(({ reason }) => reason) ?? [];

async function addConversation(teamId: string, flag: string | null, minutes = 0): Promise<string> {
  const id = newId();
  await sql`
    insert into conversations (id, team_id, device_id, contact_number, flag, flag_reason, flagged_at)
    values (${id}, ${teamId}, gen_random_uuid(), '+15550199', ${flag}, ${flag === 'provider_failed' ? 'auth' : null},
            now() - make_interval(mins => ${minutes}))`.execute(db);
  return id;
}

async function addDeviceRow(teamId: string, botId: string, columns: Record<string, unknown>): Promise<void> {
  const pool = newId();
  await sql`
    insert into pools (id, url, capacity, lease_until, ended) values (${pool}, ${pool}, 5, now() + interval '1 hour', false)`.execute(
    db,
  );
  const { lease, ...set } = columns;
  if (lease === 'lost')
    await sql`update pools set lease_until = now() - interval '1 hour' where id = ${pool}`.execute(db);
  const row = {
    id: newId(),
    team_id: teamId,
    bot_id: botId,
    name: 'Desk',
    pool_id: pool,
    pool_url: pool,
    ...set,
  };
  await sql`
    insert into devices (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(row))})`.execute(db);
}

const ago = (minutes: number) => sql`now() - make_interval(mins => ${minutes})`;

test('counts the conversations that wait for a person or an answer, the longest wait first', async () => {
  const [team, other] = [await addTeam(context), await addTeam(context)];
  for (let minutes = 1; minutes <= 25; minutes += 1) await addConversation(team, 'human_requested', minutes);
  const longest = await addConversation(team, 'human_requested', 100);
  for (const flag of ['provider_failed', 'out_of_credits', 'bot_not_published', 'payment_captured', null])
    await addConversation(team, flag);
  await addConversation(other, 'human_requested');
  const found = await read(team);
  assert.deepEqual(
    found.kinds.map(({ kind, count, items }) => [kind, count, items.length]),
    [
      ['human_requested', 26, 10],
      ['unanswered', 3, 3],
      ['payment_captured', 1, 1],
      ['provider', 1, 1],
    ],
  );
  assert.equal(found.total, 31);
  const [first] = found.kinds[0]?.items ?? [];
  assert.deepEqual([first?.id, first?.name, first?.team_name], [longest, '+15550199', 'Harbour bicycles']);
  assert.ok(Date.now() - Date.parse(first?.since ?? '') > 99 * 60_000);
  assert.deepEqual(reasonsOf(found, 'unanswered').toSorted(), [
    'auth',
    'bot_not_published',
    'out_of_credits',
  ]);
  assert.deepEqual(
    (await read(team, '?limit=0')).kinds.map(({ count, items }) => [count, items.length])[0],
    [26, 0],
  );
  assert.equal((await read(other)).total, 1);
});

test('counts each device once: blocked, unlinked, restricted or without a connection for a minute', async () => {
  const team = await addTeam(context);
  const bot = await addBotRow(db, team);
  const cases: [Record<string, unknown>, string | null][] = [
    [{ blocked: true, new_chats_restricted_until: sql`now() + interval '1 day'` }, 'banned'],
    [{ status: 'stopped', last_disconnect_reason: 'logged_out', last_disconnect_at: ago(0) }, 'logged_out'],
    [
      { status: 'started', connected: true, new_chats_restricted_until: sql`now() + interval '1 day'` },
      'restricted',
    ],
    [{ status: 'started', connected: true, lease: 'lost' }, 'pool_lost'],
    [
      {
        status: 'started',
        logged_in: true,
        last_disconnect_reason: 'connection_lost',
        last_disconnect_at: ago(2),
      },
      'connection_lost',
    ],
    [{ status: 'started', created_at: ago(2) }, 'not_linked'],
  ];
  for (const [columns] of cases) await addDeviceRow(team, bot, columns);
  const wellDevices = [
    { status: 'started', connected: true },
    { status: 'stopped', last_disconnect_reason: 'stopped', last_disconnect_at: ago(9) },
    { status: 'started' },
    {
      status: 'started',
      logged_in: true,
      last_disconnect_reason: 'connection_lost',
      last_disconnect_at: ago(0),
    },
    {
      status: 'started',
      connected: true,
      new_chats_restricted_until: sql`now() + interval '1 day'`,
      new_chats_restricted_by: 'warm_up',
    },
  ];
  for (const columns of wellDevices) await addDeviceRow(team, bot, columns);
  const reasons = reasonsOf(await read(team), 'device');
  assert.deepEqual(reasons.toSorted(), cases.map(([, reason]) => reason).toSorted());
});

test('counts bots, webhooks, documents and quotas', async () => {
  const team = await addTeam(context, { bots: 5 });
  const [fresh, old, changed] = [
    await addBotRow(db, team),
    await addBotRow(db, team),
    await addBotRow(db, team),
  ];
  await addBotRow(db, team);
  await sql`update bots set published = false, live_version = null where id = ${fresh}`.execute(db);
  await sql`update bots set published = false, updated_at = ${ago(25 * 60)} where id = ${old}`.execute(db);
  await sql`update bots set published = false where id = ${changed}`.execute(db);
  for (const [failing, disabled] of [
    [true, null],
    [true, 'failing'],
    [false, null],
  ])
    await sql`
      insert into webhooks (id, team_id, url, events, description, ordered, thin, secret_sealed, failing_since, disabled_reason)
      values (gen_random_uuid(), ${team}, 'https://hooks.example.com/', '{*}', '', true, false, '', ${failing ? ago(1) : null}, ${disabled})`.execute(
      db,
    );
  for (const status of ['failed', 'ready'])
    await sql`
      insert into documents (id, team_id, state, name, type, size, ai_provider_id, file_key, chars, charged_characters, provider_status)
      values (gen_random_uuid(), ${team}, 'live', 'Prices', 'txt', 1, 'a', gen_random_uuid()::text, 1, 1, ${status})`.execute(
      db,
    );
  const found = await read(team);
  assert.deepEqual(reasonsOf(found, 'bot').toSorted(), ['draft_changed', 'never_published']);
  assert.deepEqual(reasonsOf(found, 'webhook').toSorted(), ['failing', 'retrying']);
  assert.deepEqual(reasonsOf(found, 'document'), [null]);
  const quota = found.kinds.find(({ kind }) => kind === 'quota');
  assert.deepEqual(
    quota?.items.map(({ name, reason, used, limit }) => [name, reason, used, limit]),
    [['Harbour bicycles', 'bots', 4, 5]],
  );
});

test('shows pools without a lease and a full disk to the partner only', async () => {
  const team = await addTeam(context);
  await addDeviceRow(team, await addBotRow(db, team), { status: 'started', connected: true, lease: 'lost' });
  await addConversation(team, 'human_requested');
  isLow = true;
  await eventually(async () => {
    const { body } = await api('GET', '/attention');
    const kinds = body.data.kinds.map(({ kind }: { kind: string }) => kind);
    for (const kind of ['human_requested', 'pool', 'disk']) assert.ok(kinds.includes(kind), kind);
  });
  assert.deepEqual(
    (await read(team)).kinds.map(({ kind }) => kind),
    ['human_requested', 'device'],
  );
});

test('rejects a limit over 100', async () => {
  for (const limit of ['-1', '101', 'x'])
    assert.equal((await api('GET', `/attention?limit=${limit}`)).status, 400, limit);
});
