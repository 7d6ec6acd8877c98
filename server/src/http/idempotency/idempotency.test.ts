import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness.ts';
import { populateTeam } from '../../../test/team-fixture.ts';
import { createIdempotency } from './idempotency.ts';
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

test('keeps the claim while each step takes nearly as long as the claim', async () => {
  const idempotency = createIdempotency(context);
  const request = {
    headers: { 'idempotency-key': 'slow steps' },
    method: 'POST',
    routeOptions: { url: '/slow' },
    params: {},
    body: { message: 'Hello' },
    actor: { keyId: 'pk_slow', scope: { kind: 'all' } },
  } as unknown as FastifyRequest; // the members that the idempotency reads
  const reply = { header: () => reply } as unknown as FastifyReply;
  let runs = 0;
  const run = () => {
    runs += 1;
    assert.ok(runs <= 5, 'a retry ran the operation');
    const waitLong = async () => {
      await sql`
        update idempotency_keys set claimed_until = claimed_until - interval '35 seconds' where key = 'slow steps'`.execute(
        context.db,
      );
      await assert.rejects(run(), { details: { reason: 'idempotency_in_flight' } });
    };
    return idempotency.inAcceptance<number, object, number>(
      { request, reply },
      {
        async admit(work) {
          await waitLong();
          return work();
        },
        async prepare() {
          await waitLong();
          return 1;
        },
        async throttle(transaction) {
          await waitLong();
          return transaction();
        },
        accept: async (_tx, prepared = 0) => ({ accepted: prepared, stored: { prepared } }),
        finish: async (prepared) => ({ prepared }),
        replay: async (_tx, stored) => stored,
      },
    );
  };

  assert.deepEqual(await run(), { prepared: 1 });

  assert.equal(runs, 4, 'three retries were refused');
  assert.deepEqual(await run(), { prepared: 1 });
});
