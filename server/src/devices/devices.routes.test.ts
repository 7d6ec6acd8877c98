import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Api, createApiClient } from '../../test/api-client.ts';
import {
  addBotRow,
  addDevice,
  addTeamWithBot,
  newPhone,
  readQrText,
  startDevicesApp,
  waitForDevice,
} from '../../test/devices.ts';
import { openTestContext, startApiOn, type TestContext } from '../../test/harness.ts';
import { waitForLockWaiter } from '../../test/lock-waits.ts';
import { promptly } from '../../test/promptly.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Scope } from '../platform/database/scopes.ts';
import { newId } from '../platform/shared/ids.ts';
import { createDeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { connectionRoutes } from './connection.routes.ts';
import { deleteDeviceRow } from './devices.queries.ts';
import { deviceRoutes } from './devices.routes.ts';
import { deleteDevicesOfTeam, nameNetworks } from './devices.sql.ts';
import { createDeviceReader } from './devices.ts';
import { reserveCapacity } from './pools/pools.sql.ts';

const routes = (f: TestContext) => [deviceRoutes(f), connectionRoutes(f)];
const app = await startDevicesApp({ routes });
const { db } = app.context;
const { network } = app;
const pool = await app.startPool();

/** A client of another process, with the same token. */
async function startSecondApi(environment: Record<string, string> = {}): Promise<Api> {
  const context = await openTestContext(app.databaseUrl, { environment });
  const { baseUrl } = await startApiOn(context, { routes });
  after(() => context.close());
  return createApiClient(baseUrl, app.key.token);
}

test('a device is created, shows a QR code, is scanned and connects', async () => {
  const ids = await addTeamWithBot(db);
  const phone = newPhone();
  const created = await app.api('POST', '/devices', {
    body: { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' },
  });
  const { id, token, created_at, updated_at, ...device } = created.body.data;
  assert.deepEqual(device, {
    team_id: ids.teamId,
    bot_id: ids.botId,
    name: 'Desk',
    status: 'stopped',
    type: 'messaging',
    connected: false,
    blocked: false,
    network: 'simulator',
    capabilities: {
      content: ['text', 'image', 'voice', 'document'],
      initiates: 'free',
      phone_numbers: true,
      pairing_codes: false,
      credentials: false,
    },
    web_chat: null,
    webhook_url: null,
    phone_number: null,
    pool_url: pool.url,
    last_disconnect_reason: null,
    last_disconnect_at: null,
  });
  assert.match(token, /^dt_[\w-]{43}$/);
  assert.equal(created_at, updated_at);

  const connected = await app.api('POST', `/devices/${id}/connect`);
  assert.deepEqual(connected.body.data, {
    device_id: id,
    status: 'started',
    message: 'Scan the QR code with the phone that you want to link.',
  });
  const waiting = await app.api('GET', `/devices/${id}/status`);
  assert.match(waiting.body.data.qr_code, /^data:image\/png;base64,/);
  assert.equal(waiting.headers.get('cache-control'), 'no-store');
  assert.equal(waiting.body.data.phone_number, null);

  assert.equal(await network.scan(await readQrText(db, id), phone), 200);
  const status = await waitForDevice(app, id, (s) => s['connected'] === true);
  assert.equal(status['phone_number'], phone);
  assert.equal(status['logged_in'], true);
  assert.equal(status['qr_code'], undefined);
  const linked = await app.api('GET', `/devices/${id}`);
  assert.equal(linked.body.data.phone_number, phone);
  assert.equal(linked.body.data.token, token);
});

describe('creating a device', () => {
  test('names the invalid references of its body', async () => {
    const [own, other] = [await addTeamWithBot(db), await addTeamWithBot(db)];
    const attempt = async (body: object) => {
      const answer = await app.api('POST', '/devices', { body: { name: 'Desk', ...body } });
      assert.equal(answer.status, 400);
      return answer.body.details.issues.map(({ path }: { path: string }) => path);
    };
    assert.deepEqual(await attempt({ team_id: newId(), bot_id: own.botId }), ['bot_id', 'team_id']);
    assert.deepEqual(await attempt({ team_id: own.teamId, bot_id: newId() }), ['bot_id']);
    assert.deepEqual(await attempt({ team_id: own.teamId, bot_id: other.botId }), ['bot_id']);
    assert.deepEqual(await attempt({ team_id: own.teamId, bot_id: own.botId, status: 'started' }), [
      'status',
    ]);
  });

  test('stops exactly at the accounts quota, and a deletion frees one account', async () => {
    const ids = await addTeamWithBot(db, { accounts: 3 });
    const body = { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.api('POST', '/devices', { body })),
    );
    const created = answers.filter(({ status }) => status === 200);
    assert.equal(created.length, 3);
    const { details } = answers.find(({ status }) => status !== 200)?.body ?? {};
    assert.deepEqual(details, { reason: 'quota_exceeded', quota: 'accounts', used: 3, limit: 3, needed: 1 });
    await app.api('DELETE', `/devices/${created[0]?.body.data.id}`);
    await addDevice(app, ids);
    assert.equal((await app.api('POST', '/devices', { body })).status, 400);
  });

  test('fills the capacity of all pools exactly under concurrent requests to two apis', async () => {
    const room = await app.startPool({ capacity: 3 });
    const tight = await app.startPool({ capacity: 2 });
    await sql`update pools set capacity = devices where url = ${pool.url}`.execute(db);
    const ids = await addTeamWithBot(db);
    const body = { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' };
    const apis = [app.api, await startSecondApi()];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (apis[n % 2] ?? app.api)('POST', '/devices', { body })),
    );
    await sql`update pools set capacity = 100 where url = ${pool.url}`.execute(db);
    const placed = answers.filter(({ status }) => status === 200).map(({ body: { data } }) => data.pool_url);
    assert.equal(placed.filter((url) => url === room.url).length, 3);
    assert.equal(placed.filter((url) => url === tight.url).length, 2);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ body }) => body.details?.reason),
      Array.from({ length: 45 }, () => 'pool_capacity'),
    );
    const { rows } = await sql<{ devices: number }>`
      select devices from pools where url in (${room.url}, ${tight.url}) order by devices`.execute(db);
    assert.deepEqual(
      rows.map(({ devices }) => devices),
      [2, 3],
    );
    await Promise.all([room.close(), tight.close()]);
  });

  test('does not store pool_capacity under an Idempotency-Key', async () => {
    const ids = await addTeamWithBot(db);
    const request = {
      body: { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' },
      headers: { 'idempotency-key': newId() },
    };
    await sql`update pools set capacity = devices where url = ${pool.url}`.execute(db);
    assert.equal((await app.api('POST', '/devices', request)).body.details.reason, 'pool_capacity');
    await sql`update pools set capacity = 100 where url = ${pool.url}`.execute(db);
    assert.equal((await app.api('POST', '/devices', request)).status, 200);
  });

  test('does not wait for a blocked creation in another team', async () => {
    const [waiting, other] = [await addTeamWithBot(db), await addTeamWithBot(db)];
    const create = ({ teamId, botId }: typeof other) =>
      app.api('POST', '/devices', { body: { team_id: teamId, bot_id: botId, name: 'Desk' } });
    const { held } = await db.transaction().execute(async (tx) => {
      await sql`select from team_usage where team_id = ${waiting.teamId} for update`.execute(tx);
      const held = create(waiting);
      await waitForLockWaiter(db, 'team_usage');
      assert.equal((await create(other)).status, 200);
      return { held };
    });
    assert.equal((await held).status, 200);
  });

  test('does not wait for the locked row of another pool', async () => {
    const ids = await addTeamWithBot(db);
    const free = await app.startPool({ capacity: 2 });
    await db.transaction().execute(async (tx) => {
      await sql`select from pools where url = ${pool.url} for update`.execute(tx);
      for (let n = 0; n < 2; n += 1) {
        const id = await promptly(addDevice(app, ids), 1500);
        assert.equal((await app.api('GET', `/devices/${id}`)).body.data.pool_url, free.url);
      }
    });
    assert.notEqual(await addDevice(app, ids), undefined);
    await free.close();
  });

  test('waits for a locked row if no other pool has capacity', async () => {
    const ids = await addTeamWithBot(db);
    const { created } = await db.transaction().execute(async (tx) => {
      await sql`select from pools where url = ${pool.url} for update`.execute(tx);
      const created = addDevice(app, ids);
      await waitForLockWaiter(db, 'update pools');
      return { created };
    });
    assert.ok(await created);
  });

  test('and a deletion lock the row of the pool for at most 2 s if their process stops', async () => {
    const ids = await addTeamWithBot(db);
    const [id] = [await addDevice(app, ids), await addDevice(app, ids)];
    for (const work of [
      reserveCapacity,
      (tx: Transaction) => deleteDeviceRow(tx, { id, team_id: ids.teamId }),
      (tx: Transaction) => deleteDevicesOfTeam(tx, ids.teamId),
    ]) {
      await db.transaction().execute(async (tx) => {
        await work(tx);
        const { rows } = await sql`
          select current_setting('lock_timeout') as waiting,
                 current_setting('idle_in_transaction_session_timeout') as idle`.execute(tx);
        assert.deepEqual(rows, [{ waiting: '2s', idle: '2s' }]);
      });
    }
  });

  test('happens once per Idempotency-Key', async () => {
    const ids = await addTeamWithBot(db);
    const request = {
      body: { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' },
      headers: { 'idempotency-key': newId() },
    };
    const first = await app.api('POST', '/devices', request);
    const repeat = await app.api('POST', '/devices', request);
    assert.equal(repeat.body.data.id, first.body.data.id);
  });
});

describe('devices', () => {
  test('are listed newest first and filtered', async () => {
    const ids = await addTeamWithBot(db);
    const otherBot = await addBotRow(db, ids.teamId);
    const first = await addDevice(app, ids);
    const second = await addDevice(app, { ...ids, botId: otherBot });
    const listed = async (query: string) => {
      const { body } = await app.api('GET', `/devices?team_id=${ids.teamId}${query}`);
      return body.data.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await listed(''), [second, first]);
    assert.deepEqual(await listed(`&bot_id=${otherBot}`), [second]);
    assert.deepEqual(await listed('&status=started'), []);
    assert.deepEqual(await listed('&status=stopped&connected=false&limit=1&page=2'), [first]);
    assert.deepEqual(await listed('&connected=true'), []);
    await sql`update devices set created_at = created_at + interval '1 hour' where id = ${first}`.execute(db);
    assert.deepEqual(await listed(''), [first, second], 'newest by the time of creation');
    assert.equal((await app.api('GET', '/devices?status=blocked')).status, 400);
  });

  test('are renamed and bound to another bot of the team', async () => {
    const [ids, other] = [await addTeamWithBot(db), await addTeamWithBot(db)];
    const id = await addDevice(app, ids);
    const botId = await addBotRow(db, ids.teamId);
    const { body } = await app.api('PATCH', `/devices/${id}`, { body: { name: 'Counter', bot_id: botId } });
    assert.equal(body.data.name, 'Counter');
    assert.equal(body.data.bot_id, botId);
    const foreign = await app.api('PATCH', `/devices/${id}`, { body: { bot_id: other.botId } });
    assert.deepEqual(foreign.body.details.issues[0].path, 'bot_id');
  });

  test('read concurrently are returned only to callers that may see them', async () => {
    const teams = [await addTeamWithBot(db), await addTeamWithBot(db)];
    const devices = await Promise.all(
      teams.map(async (ids) => ({ teamId: ids.teamId, id: await addDevice(app, ids) })),
    );
    const keys = await Promise.all(
      teams.map(async ({ teamId }) => ({ teamId, token: (await app.issueKey({ teamId })).token })),
    );
    const everything = { teamId: null, token: app.key.token };
    const asked = [...keys, everything].flatMap(({ teamId, token }) =>
      [...devices, { teamId: newId(), id: newId() }].flatMap((device) =>
        ['', '/status'].map((path) => ({ teamId, token, device, path })),
      ),
    );
    const answers = await Promise.all(
      [...asked, ...asked.toReversed()].map(async ({ teamId, token, device, path }) => {
        const { status, body } = await app.api('GET', `/devices/${device.id}${path}`, { token });
        const exists = devices.includes(device) && (teamId ?? device.teamId) === device.teamId;
        return {
          status,
          id: body.data?.device_id ?? body.data?.id,
          expected: exists ? device.id : undefined,
        };
      }),
    );
    for (const { status, id, expected } of answers) {
      assert.equal(status, expected === undefined ? 404 : 200);
      assert.equal(id, expected);
    }
  });

  test('read in the same tick share one statement, with the scope of each caller', async () => {
    const teams = [await addTeamWithBot(db), await addTeamWithBot(db)];
    const devices = await Promise.all(teams.map((ids) => addDevice(app, ids)));
    let statements = 0;
    const counting = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        statements += 1;
        return result;
      },
    });
    const read = createDeviceReader(counting);
    const scopes: Scope[] = [
      ...teams.map(({ teamId }) => ({ kind: 'team', teamId }) as const),
      { kind: 'all' },
    ];
    const found = await Promise.all(
      scopes.flatMap((scope) =>
        [...devices, newId()].map((id) =>
          read({ keyId: newId(), scope, role: null }, id).then(
            (device) => device.id,
            ({ status }: { status: number }) => status,
          ),
        ),
      ),
    );
    const [first, second] = devices;
    assert.deepEqual(found, [first, 404, 404, 404, second, 404, first, second, 404]);
    assert.equal(statements, 1);
  });

  test("of another team return 404 for a team's key on every route", async () => {
    const [own, other] = [await addTeamWithBot(db), await addTeamWithBot(db)];
    const [mine, theirs] = [await addDevice(app, own), await addDevice(app, other)];
    const { token } = await app.issueKey({ teamId: own.teamId });
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/status'],
      ['PATCH', '', { name: 'Mine now' }],
      ['POST', '/connect'],
      ['POST', '/stop'],
      ['POST', '/logout'],
      ['DELETE', ''],
    ];
    for (const [method, path, body] of calls) {
      const { status } = await app.api(method, `/devices/${theirs}${path}`, { token, body });
      assert.equal(status, 404, `${method} ${path}`);
    }
    const { body } = await app.api('GET', '/devices', { token });
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [mine],
    );
    const created = await app.api('POST', '/devices', {
      token,
      body: { team_id: other.teamId, bot_id: other.botId, name: 'x' },
    });
    const paths = created.body.details.issues.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['bot_id', 'team_id']);
  });
});

test('a device has the network that it was created with, and the deployment says which are enabled', async () => {
  const { teamId, botId } = await addTeamWithBot(db);
  const create = (networks: string, network?: string) =>
    startSecondApi({ MESSAGING_NETWORK: networks }).then((api) =>
      api('POST', '/devices', {
        body: { team_id: teamId, bot_id: botId, name: 'Desk', ...(network && { network }) },
      }),
    );
  assert.equal((await create('whatsapp,simulator')).body.data.network, 'whatsapp');
  assert.equal((await create('whatsapp,simulator', 'simulator')).body.data.network, 'simulator');
  const disabled = await create('simulator', 'whatsapp');
  assert.deepEqual(disabled.body.details.issues, [
    { path: 'network', message: 'must be a network that MESSAGING_NETWORK enables: simulator' },
  ]);
  assert.equal((await create('simulator', 'carrier-pigeon')).body.details.reason, 'validation');
});

test('a device whose network is no longer enabled keeps it and cannot connect', async () => {
  const id = await addDevice(app, await addTeamWithBot(db));
  await sql`update devices set network = 'whatsapp' where id = ${id}`.execute(db);
  const { body, status } = await app.api('POST', `/devices/${id}/connect`);
  assert.deepEqual([status, body.details.reason], [400, 'network_disabled']);
  const { data } = (await app.api('GET', `/devices/${id}`)).body;
  assert.deepEqual([data.network, data.capabilities.pairing_codes], ['whatsapp', true]);
});

test('a device of an earlier version has the network that its deployment had', async () => {
  const id = await addDevice(app, await addTeamWithBot(db));
  await sql`update devices set network = null where id = ${id}`.execute(db);
  assert.equal((await app.api('GET', `/devices/${id}`)).body.data.network, 'simulator');
  assert.equal((await app.api('POST', `/devices/${id}/connect`)).status, 200);
});

test('the start of an upgraded deployment of linked phones names the network of its devices', async () => {
  const team = await addTeamWithBot(db);
  const [earlier, website] = [await addDevice(app, team), await addDevice(app, team)];
  await sql`update devices set network = case when id = ${earlier} then null else 'web' end where id in (${earlier}, ${website})`.execute(
    db,
  );
  await nameNetworks(db, createDeviceNetworks(['web', 'whatsapp']).of({ network: null }));
  const { rows } = await sql<{ network: string }>`
    select network from devices where id in (${earlier}, ${website}) order by id`.execute(db);
  assert.deepEqual(
    rows.map(({ network: name }) => name),
    ['whatsapp', 'web'],
  );
});

test('a network without pairing codes refuses to connect with one', async () => {
  const id = await addDevice(app, await addTeamWithBot(db));
  const connect = (body: object) => app.api('POST', `/devices/${id}/connect`, { body });
  const refused = await connect({ pairing_phone_number: '+15550123' });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.details.reason, 'pairing_code_unsupported');
  assert.equal((await connect({ pairing_phone_number: 'home' })).body.details.reason, 'validation');
  assert.equal((await connect({})).status, 200);
});

test('connect says that the bot was never published', async () => {
  const ids = await addTeamWithBot(db);
  await sql`update bots set live_version = null where id = ${ids.botId}`.execute(db);
  const created = await app.api('POST', '/devices', {
    body: { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' },
  });
  const { body } = await app.api('POST', `/devices/${created.body.data.id}/connect`);
  assert.match(body.data.message, /The bot was never published/);
});
