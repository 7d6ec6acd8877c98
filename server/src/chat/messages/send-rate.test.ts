import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { addTeamWithBot } from '../../../test/devices.ts';
import { startTestApp } from '../../../test/harness.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { toMonth } from '../../platform/shared/clock.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createQuotaDetails, sendRoutes } from './send.routes.ts';

const { api, context, issueKey } = await startTestApp({
  environment: { RATE_LIMIT_PER_MINUTE: '1' },
  routes: (f) => [
    sendRoutes({ ...f, sources: { fetchImage: () => assert.fail(), synthesize: null, rewrite: null } }),
  ],
});
const { clock, db } = context;
const month = toMonth(clock.now());

test("a send over the key's request rate reports the monthly quota of the device's team", async () => {
  const { teamId, botId } = await addTeamWithBot(db, { plan: 'starter' });
  const deviceId = newId();
  await sql`insert into devices (id, team_id, bot_id, name, pool_id, pool_url)
            values (${deviceId}, ${teamId}, ${botId}, 'Desk', ${newId()}, 'http://127.0.0.1')`.execute(db);
  await sql`insert into monthly_usage (team_id, month, active_messages)
            values (${teamId}, ${month}::date, 7)`.execute(db);
  const { token } = await issueKey();
  const send = (device: string) => {
    const body = { device_id: device, message: 'Hello', destination_number: '+15550199' };
    return api('POST', '/send', { token, body });
  };

  assert.equal((await send(deviceId)).status, 400, 'the device is not connected, the rate not used up');
  const { status, body, headers } = await send(deviceId);
  assert.equal(status, 429);
  assert.equal(body.error.code, 'RATE_LIMIT_EXCEEDED');
  assert.deepEqual(body.error.details, { reason: 'request_rate', quota: 100, used: 7, limit: 105 });
  assert.ok(Number(headers.get('retry-after')) >= 1);
  assert.equal((await send(newId())).status, 404);
});

test('reads the monthly quota once a second under a flood of refused sends', async () => {
  const { teamId, botId } = await addTeamWithBot(db, { plan: 'starter' });
  const deviceId = newId();
  await sql`insert into devices (id, team_id, bot_id, name, pool_id, pool_url)
            values (${deviceId}, ${teamId}, ${botId}, 'Desk', ${newId()}, 'http://127.0.0.1')`.execute(db);
  let now = 0;
  const monthOfDevice = createQuotaDetails({ db, clock, elapsed: () => now });
  const actor: Actor = { keyId: 'pk_flood', scope: { kind: 'all' }, role: null };
  // A request with only the properties that the function reads.
  const request = { actor, body: { device_id: deviceId } } as FastifyRequest;
  const reportedUse = async () => (await monthOfDevice(request))['used'];
  assert.equal(await reportedUse(), 0);
  await sql`insert into monthly_usage (team_id, month, active_messages)
            values (${teamId}, ${month}::date, 7)`.execute(db);
  now = 999;
  assert.deepEqual(await Promise.all([reportedUse(), reportedUse()]), [0, 0], 'the cached value');
  now = 1000;
  assert.equal(await reportedUse(), 7);
  const other: Actor = { keyId: 'pk_other', scope: { kind: 'team', teamId: newId() }, role: null };
  await assert.rejects(monthOfDevice({ ...request, actor: other } as FastifyRequest), { status: 404 });
});
