import assert from 'node:assert/strict';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type ServiceProcess, startService } from '../../../scripts/demo/service-process.ts';
import { applicationRole } from '../../src/platform/database/embedded/cluster-access.ts';
import { openDatabasePassword } from '../../src/platform/database/embedded/database-password.ts';
import { readRunningPid } from '../../src/platform/database/embedded/postmaster-lock.ts';
import { changeOwner, nobodyAccount } from '../../src/platform/database/embedded/server-account.ts';
import {
  reachableSocketDirectory,
  socketPort,
} from '../../src/platform/database/embedded/socket-directory.ts';
import { findDedicatedAccount } from '../../src/platform/shared/dedicated-accounts.ts';
import { createEncryption } from '../../src/platform/shared/encryption.ts';
import { type Api, createApiClient } from '../api-client.ts';
import { queryOnce } from '../embedded-members.ts';
import { eventually } from '../eventually.ts';
import { createEmptyDatabase } from '../test-database.ts';
import { startTrustingServer } from '../trusting-server.ts';
import { restoreDatabase } from './dump.ts';
import {
  actionHost,
  type Fixture,
  fixtureFolder,
  readFixture,
  readFixtureChat,
  secretHeader,
  startActionService,
} from './fixture.ts';

const isRoot = process.getuid?.() === 0;
const silent = { info() {}, warn() {}, error() {} };

const versions = (await readdir(fixtureFolder(''))).filter((name) => /^\d/.test(name));

for (const version of versions) {
  const fixture = await readFixture(version);
  const agedMs = Date.now() - Date.parse(fixture.madeAt);

  for (const database of ['embedded', 'external'] as const) {
    describe(`an upgrade from ${version} on the ${database} database`, async () => {
      const { dataDir, service } = await startUpgraded(fixture, { database, agedMs });
      const url = service.addresses.api ?? '';
      const anonymous = await createApiClient(url, null);
      const exchange = async (key: { key_id: string; key_secret: string }) => {
        const { key_id, key_secret } = key;
        const { status, body } = await anonymous('POST', '/api/openapi/auth/token', {
          body: { key_id, key_secret },
        });
        assert.equal(status, 200);
        return createApiClient(url, body.data.access_token);
      };
      const api = await exchange(fixture.key);

      test('returns the same teams, bots, documents, messages and plans', async () => {
        for (const [path, before] of Object.entries(fixture.reads)) {
          const { status, body } = await api('GET', path);
          assert.equal(status, 200, path);
          assertContains(body.data, moveTimestamps(before, agedMs), path);
        }
      });

      test('accepts the old access token', async () => {
        const token = await renewToken(fixture.accessToken, dataDir, agedMs);
        assert.equal((await anonymous('GET', '/teams', { token })).status, 200);
      });

      test('limits the team key to its team', async () => {
        const limited = await exchange(fixture.teamKey);
        const { body } = await limited('GET', '/teams');
        assert.deepEqual(
          body.data.map(({ id }: { id: string }) => id),
          [fixture.teamKey.team_id],
        );
      });

      test('makes the administrator of a team its owner, who can be invited', async () => {
        const path = `/teams/${fixture.teamKey.team_id}/members`;
        const { body } = await api('GET', path);
        assert.deepEqual(
          body.data.map(({ role, state }: { role: string; state: string }) => [role, state]),
          [['owner', 'invited']],
        );
        const invited = await api('POST', `${path}/${body.data[0].id}/invite`);
        assert.equal(invited.status, 200, JSON.stringify(invited.body));
      });

      test('downloads the document', async () => {
        const { bytes } = await api('GET', `/documents/${fixture.document.id}/content`);
        assert.equal(createHash('sha256').update(bytes).digest('hex'), fixture.document.sha256);
      });

      test('keeps the device on the network that the deployment had', async () => {
        const { body } = await api('GET', `/devices/${fixture.deviceId}`);
        assert.equal(body.data.network, 'simulator');
      });

      test('answers on the linked device from the pair, the document and the action', async () => {
        await untilConnected(api, fixture.deviceId);
        const action = await startActionService();
        try {
          for (const kind of ['pair', 'document', 'action'] as const) {
            const answers = await ask(url, fixture, fixture.questions[kind]);
            if (kind === 'document') assertQuotes(answers, fixture.answers[kind]);
            else assert.deepEqual(answers, fixture.answers[kind]);
          }
        } finally {
          await action.close();
        }
        const [call] = action.requests;
        assert.equal(call?.url, '/rentals/R-4711');
        assert.equal(
          call?.headers[secretHeader.key.toLowerCase()],
          secretHeader.value,
          'opens the sealed header',
        );
      });

      test('replays a stored result without a second send', async () => {
        const chat = () => readFixtureChat(createCall(url), fixture.phone, fixture.contact);
        const before = await chat();
        const { path, key, body, result } = fixture.replay;
        const repeated = await api('POST', path, { body, headers: { 'idempotency-key': key } });
        assert.deepEqual(repeated.body, result);
        assert.deepEqual(await chat(), before);
        assert.deepEqual(await readUsage(api, fixture), fixture.usage['active_messages']);
      });

      test('sends a message and charges it', async () => {
        const { status, body } = await api('POST', '/send', {
          body: { device_id: fixture.deviceId, message: 'Upgraded.', destination_number: fixture.contact },
        });
        assert.deepEqual([status, body.data.status], [200, 'sent']);
        const before = fixture.usage['active_messages'] as { used: number };
        assert.equal((await readUsage(api, fixture)).used, before.used + 1);
      });

      if (database === 'embedded') {
        test('requires a password that only a role without superuser rights has', async () => {
          for (const role of ['parley', applicationRole])
            await assert.rejects(logIn(dataDir, role, 'none'), { code: '28P01' }, role);
          const key = (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim();
          const encryption = createEncryption(Buffer.from(key, 'base64'));
          const password = await openDatabasePassword({
            dataDirectory: dataDir,
            encryption,
            mayCreate: false,
          });
          assert.deepEqual(await logIn(dataDir, applicationRole, password), [
            { superuser: false, owners: [applicationRole] },
          ]);
        });

        test('runs the server as a dedicated account if root starts it', async (t) => {
          if (!isRoot) return t.skip('requires root');
          const { uid } = await findDedicatedAccount('database');
          const cluster = join(dataDir, 'postgres/cluster');
          assert.equal((await stat(join(cluster, 'PG_VERSION'))).uid, uid);
          assert.equal((await stat(`/proc/${await readRunningPid(cluster)}`)).uid, uid);
        });
      }

      test('publishes the draft', async () => {
        assert.equal((await api('POST', `/bots/${fixture.draftBotId}/publish`)).status, 200);
        const { body } = await api('POST', `/bots/${fixture.draftBotId}/ask`, {
          body: { question: fixture.questions.pair },
        });
        assert.match(JSON.stringify(body.data), /a helmet is included/);
      });
    });
  }
}

/** Starts the current code on a copy of the fixture, as an operator does after an update. */
async function startUpgraded(
  { version, schema }: Fixture,
  { database, agedMs }: { database: 'embedded' | 'external'; agedMs: number },
): Promise<{ dataDir: string; service: ServiceProcess }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-upgrade-'));
  const dataDir = join(folder, 'data');
  const cleanups = [() => rm(folder, { recursive: true, force: true })];
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  await cp(join(fixtureFolder(version), 'data-dir'), dataDir, { recursive: true });
  const dump = join(fixtureFolder(version), 'database.sql.gz');
  const environment: Record<string, string> = {};
  if (database === 'embedded') {
    await createEmbeddedDatabase(dataDir, { dump, schema, agedMs });
  } else {
    const external = await createEmptyDatabase();
    cleanups.push(() => external.drop());
    await restoreDatabase(external.url, { dump, schema, agedMs });
    environment['DATABASE_URL'] = external.url;
    environment['ENCRYPTION_KEY'] = (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim();
  }
  const logFile = join(folder, 'service.log');
  const service = await startService(
    { PORT: '0', DATA_DIR: dataDir, ACTION_ALLOWED_HOSTS: actionHost, LEASE_SECONDS: '1', ...environment },
    logFile,
  );
  cleanups.push(async () => {
    service.child.kill('SIGTERM');
    assert.equal(await service.ended, 0, await readFile(logFile, 'utf8'));
  });
  return { dataDir, service };
}

/** Like version 0.1.0: the superuser owns everything and needs no password; as root, the server ran as nobody. */
async function createEmbeddedDatabase(
  dataDir: string,
  content: Parameters<typeof restoreDatabase>[1],
): Promise<void> {
  const server = await startTrustingServer(dataDir, silent);
  await queryOnce(server.url, 'create database parley');
  const url = new URL(server.url);
  url.pathname = '/parley';
  await restoreDatabase(url.href, content);
  await server.release();
  if (isRoot) await changeOwner(nobodyAccount, join(dataDir, 'postgres'));
}

/** Connects to the embedded database of the service as the role. */
async function logIn(dataDir: string, role: string, password: string): Promise<Record<string, unknown>[]> {
  const host = await reachableSocketDirectory(join(dataDir, 'postgres/socket'));
  const address = new URLSearchParams({ host, port: String(socketPort) });
  return queryOnce(
    `postgres://${role}:${password}@localhost/parley?${address}`,
    `select (select rolsuper from pg_roles where rolname = current_user) as superuser,
            (select array_agg(distinct tableowner::text) from pg_tables
             where schemaname not in ('pg_catalog', 'information_schema')) as owners`,
  );
}

const createCall = (url: string) => async (method: string, path: string, body?: object) => {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 200, path);
  // The simulator's envelope.
  return { body: (await response.json()) as { data: unknown } };
};

async function ask(url: string, { phone, contact }: Fixture, text: string): Promise<string[]> {
  const call = createCall(url);
  const before = (await readFixtureChat(call, phone, contact)).length;
  await call('POST', '/simulator/messages', { from: contact, to: phone, text });
  return eventually(async () => {
    const chat = await readFixtureChat(call, phone, contact);
    assert.ok(chat.length > before, `no answer to “${text}”`);
    return chat.slice(before);
  });
}

/** A later version may quote fewer sentences, but from the same passages and with the same source. */
function assertQuotes(actual: readonly string[], expected: readonly string[]): void {
  const [given, before] = [actual.join('\n'), expected.join('\n').split('\n')];
  const [deposit = ''] = before[0]?.match(/^.*?\.(?= )/) ?? [];
  assert.match(deposit, /deposit is 50 euros/);
  assert.ok(given.startsWith(deposit), given);
  assert.ok(given.includes(before.at(-1) ?? ''), given);
}

const untilConnected = (api: Api, deviceId: string): Promise<void> =>
  eventually(async () => {
    const { body } = await api('GET', `/devices/${deviceId}/status`);
    assert.equal(body.data.connected, true);
  });

async function readUsage(api: Api, { teamId }: Fixture): Promise<{ used: number }> {
  const { body } = await api('GET', `/teams/${teamId}/usage`);
  return body.data.active_messages;
}

/** The new response may have more members than the old one, but none may be missing. */
function assertContains(actual: unknown, expected: unknown, path: string): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual) && actual.length === expected.length, path);
    for (const [index, item] of expected.entries()) assertContains(actual[index], item, `${path}[${index}]`);
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [name, value] of Object.entries(expected))
      assertContains(Object(actual)[name], value, `${path}.${name}`);
  } else {
    assert.equal(actual, expected, path);
  }
}

const timestamp = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function moveTimestamps(value: unknown, ms: number): unknown {
  return JSON.parse(JSON.stringify(value), (_name, member) =>
    typeof member === 'string' && timestamp.test(member)
      ? new Date(Date.parse(member) + ms).toISOString()
      : member,
  );
}

/** The old token with later times, signed with the key that the old version derived from `encryption-key`. */
async function renewToken(token: string, dataDir: string, ms: number): Promise<string> {
  const [header = '', claims = '', signature] = token.split('.');
  const master = Buffer.from((await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim(), 'base64');
  const signingKey = Buffer.from(hkdfSync('sha256', master, 'parley', 'sign', 32));
  const sign = (signed: string) => createHmac('sha256', signingKey).update(signed).digest('base64url');
  assert.equal(sign(`${header}.${claims}`), signature, 'the old version derived its signing key like this');
  const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const moved = { ...rest, iat: iat + Math.floor(ms / 1000), exp: exp + Math.floor(ms / 1000) };
  const payload = `${header}.${Buffer.from(JSON.stringify(moved)).toString('base64url')}`;
  return `${payload}.${sign(payload)}`;
}
