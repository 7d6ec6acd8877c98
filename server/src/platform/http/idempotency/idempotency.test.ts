import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../../test/harness.ts';
import { populateTeam } from '../../../../test/team-fixture.ts';
import { findResults, forgetFoundResults } from './stored-results.ts';

const { api, context } = await startTestApp();

const create = (key: string, plan_name: string) =>
  api('POST', '/teams', {
    headers: { 'idempotency-key': key },
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Once', plan_name } },
  });
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed') === 'true';

test('accepts keys of up to 255 printable ASCII characters, spaces included', async () => {
  for (const key of ['order 17, second try', `a ${'x'.repeat(253)}`]) {
    assert.equal((await create(key, 'free')).status, 200, key);
    assert.ok(replayed(await create(key, 'free')), key);
  }
  for (const key of ['', 'x'.repeat(256), '\u00ff', 'a\tb']) {
    const { status, body } = await create(key, 'free');
    assert.deepEqual([status, body.details.reason], [400, 'idempotency_key'], JSON.stringify(key));
  }
});

test('rejects a different request with the same key', async () => {
  assert.equal((await create('taken', 'free')).status, 200);
  const other = await create('taken', 'pro');
  assert.deepEqual([other.status, other.body.details?.reason], [400, 'idempotency_mismatch']);
  assert.ok(replayed(await create('taken', 'free')));
});

test('stores a 4xx result for a key whose old result has expired', async () => {
  assert.equal((await create('renewed', 'no such plan')).status, 400);
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'renewed'`.execute(
    context.db,
  );
  const first = await create('renewed', 'nor this one');
  assert.equal(first.status, 400);
  assert.ok(!replayed(first));
  const repeat = await create('renewed', 'nor this one');
  assert.ok(replayed(repeat));
  assert.deepEqual(repeat.body, first.body);
});

test('runs no operation again whose result was erased with a contact', async () => {
  const first = await create('erased', 'free');
  const { id } = first.body.data.team;
  await context.db.transaction().execute(async (tx) => {
    const condition = (result: Buffer) => result.includes(id);
    const found = await findResults(tx, context.encryption, condition);
    await forgetFoundResults(tx, context.encryption, condition, found);
  });
  for (const plan of ['free', 'pro']) {
    const { status, body } = await create('erased', plan);
    assert.deepEqual([status, body.details?.reason], [400, 'idempotency_expired']);
  }
});

test('treats every spelling of a path as the same path', async () => {
  const headers = { 'idempotency-key': 'one path' };
  const body = { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Once' } };
  const first = await api('POST', '/teams', { headers, body });
  for (const path of ['/%74eams', '/tea%6Ds']) {
    const repeat = await api('POST', path, { headers, body });
    assert.deepEqual([repeat.status, replayed(repeat)], [200, true], path);
    assert.equal(repeat.body.data.team.id, first.body.data.team.id);
  }
  const { poolId } = await populateTeam(context.db, first.body.data.team.id);
  await sql`update pools set lease_until = now() + interval '1 hour' where id = ${poolId}`.execute(
    context.db,
  );
  const { id } = (await api('GET', `/conversations?team_id=${first.body.data.team.id}`)).body.data[0];
  const write = (as: string) =>
    api('POST', `/conversations/${as}/messages`, { headers, body: { text: 'Here' } });
  const written = await write(id);
  assert.equal(written.status, 200, JSON.stringify(written.body));
  for (const as of [id.toUpperCase(), `%3${id[0]}${id.slice(1)}`]) {
    const repeat = await write(as);
    assert.deepEqual([repeat.status, replayed(repeat)], [200, true], as);
    assert.equal(repeat.body.data.id, written.body.data.id);
  }
  const { rows } =
    await sql`select distinct path from idempotency_keys where key = 'one path' order by 1`.execute(
      context.db,
    );
  assert.deepEqual(rows, [
    { path: `/api/openapi/v1/conversations/${id}/messages` },
    { path: '/api/openapi/v1/teams' },
  ]);
});
