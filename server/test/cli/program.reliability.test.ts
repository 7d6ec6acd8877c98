import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../src/process/cli/open-deployment.ts';
import { eventually } from '../eventually.ts';
import { startFakeModels } from '../fake-models/fake-models.ts';
import { createDeployment, key } from '../start-stop/deployment.ts';
import { runParley } from './run-parley.ts';

const startProgram = join(import.meta.dirname, '../../../bin/start.js');

/** A Node on the PATH that is too old to run TypeScript. */
function findOldNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((node) => existsSync(node) && Number(versionOf(node).split('.')[0]) < 24);
}

const versionOf = (node: string): string =>
  execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });

const oldNode = findOldNode();
const skipOld = oldNode === undefined ? 'no Node older than 24 is on the PATH' : false;

describe('help and usage', { concurrency: 2 }, () => {
  test('prints the usage of every command', async () => {
    const { code, stdout } = await runParley(['--help']);
    assert.equal(code, 0);
    const listed = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z]+)?)/gm)].map(([, name = '']) => name);
    assert.ok(listed.length >= 11, stdout);
    for (const name of listed.filter((command) => command !== 'demo')) {
      const help = await runParley([...name.split(' '), '--help']);
      assert.equal(help.code, 0, name);
      assert.match(help.stdout, new RegExp(`^Usage: parley ${name}`), name);
    }
  });

  test('rejects a wrong command line with code 2 and a hint', async () => {
    const cases: [string[], RegExp][] = [
      [['kyes', 'list'], /"kyes list" is no command. Did you mean "keys list"\?/],
      [['keys'], /"keys" needs another word/],
      [['keys', 'rotate'], /KEY_ID is missing/],
      [['keys', 'list', 'now'], /unexpected argument now/],
      [['keys', 'list', '--jsn'], /Unknown option '--jsn'/],
      [['keys', 'create'], /--name is required, with 1 to 100 characters/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runParley(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, message);
    }
  });

  test('refuses to create a database for a command that only reads', async () => {
    const { code, stderr } = await runParley(['keys', 'list'], { DATA_DIR: '/nonexistent/parley' });
    assert.equal(code, 1);
    assert.match(stderr, /^There is no database in \/nonexistent\/parley: set DATA_DIR/);
  });

  test('finds the installed Node when an old one starts it', { skip: skipOld }, async () => {
    const version = await runParley(['version'], {}, { node: oldNode ?? '' });
    assert.match(version.stdout, /^parley \d+\.\d+\.\d+(-dev)?, Node.js 2[4-9]\./, version.stderr);
    const start = await runParley([], { PORT: 'x' }, { node: oldNode ?? '', program: startProgram });
    assert.deepEqual([start.code, start.stdout], [1, '']);
    assert.match(start.stderr, /PORT: must be a whole number from 0 to 65535, not "x"/);
  });
});

describe('commands on a running deployment', () => {
  test('manage keys and pools beside the service', async () => {
    const deployment = await createDeployment();
    const service = await deployment.start({ PRT: '4000' });
    const parley = (...args: string[]) => runParley(args, { DATA_DIR: deployment.dataDir, PRT: '4000' });
    assert.match(service.log(), /"variable":"PRT","meant":"PORT"/);

    const created = JSON.parse((await parley('keys', 'create', '--name', 'Billing')).stdout);
    assert.equal(await exchange(service.url, created), 200);
    const rotated = await parley('keys', 'rotate', created.key_id, '--hours', '0');
    assert.equal(await exchange(service.url, JSON.parse(rotated.stdout)), 200);
    assert.equal(await exchange(service.url, created), 401, 'the old key has expired');
    const keys: { name: string; expires_at: string | null }[] = JSON.parse(
      (await parley('keys', 'list', '--json')).stdout,
    );
    assert.deepEqual(
      keys.map(({ name, expires_at }) => [name, expires_at === null]),
      [
        ['Billing', true],
        ['Billing', false],
        ['First key', true],
      ],
    );
    assert.match(
      (await parley('keys', 'rotate', 'pk_unknown')).stderr,
      /There is no active API key pk_unknown/,
    );

    const [pool] = JSON.parse((await parley('pools', 'list', '--json')).stdout);
    assert.deepEqual([pool.alive, pool.draining], [true, false]);
    assert.ok(!('total' in pool), 'prints the members of the API alone');
    const drained = await parley('pools', 'drain', pool.id, '--wait');
    assert.deepEqual([drained.code, drained.stderr], [0, '']);
    assert.match((await parley('pools', 'list')).stdout, new RegExp(`^${pool.id} .* draining `, 'm'));
    assert.match((await parley('pools', 'drain', 'x')).stderr, /There is no running pool x/);
    assert.match((await parley('migrate')).stdout, /The schema is up to date/);
    assert.match(
      (await parley('config', 'check')).stderr,
      /PRT is not a variable of Parley. Did you mean PORT\?/,
    );
  });
});

test('verifies the audit log and finds a forged row', async () => {
  const deployment = await createDeployment();
  const service = await deployment.start();
  const environment = { DATA_DIR: deployment.dataDir };
  const verify = (...args: string[]) => runParley(['audit', 'verify', ...args], environment);
  const token = await exchangeForToken(service.url, key);
  const created = await fetch(`${service.url}/api/openapi/v1/teams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ team: { name: 'Lumen' }, user: { name: 'Ada', email: 'ada@example.com' } }),
  });
  assert.ok(created.ok, await created.text());
  // The job that chains rows runs once a minute.
  await eventually(async () => {
    const { code, stdout, stderr } = await verify();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The audit log is intact: [1-9]\d* chained rows, head [1-9]\d*:[0-9a-f]{64}$/m);
  }, 180_000);
  const [, head = ''] = /head (\S+)/.exec((await verify()).stdout) ?? [];
  assert.equal((await verify('--head', head)).code, 0);
  const cut = await verify('--head', `999999${head}`);
  assert.match(cut.stderr, /the chain ends before row \d+/);
  await withDatabase({ environment: { ...process.env, ...environment } }, async ({ db }) => {
    const forgery = sql`update audit_log set operation = 'forged' where position = 1`;
    await assert.rejects(forgery.execute(db), /cannot be changed/);
    await sql`alter table audit_log disable trigger user`.execute(db);
    await forgery.execute(db);
  });
  const { code, stderr } = await verify();
  assert.equal(code, 1);
  assert.match(stderr, /^The audit log was changed: row 1 of the chain is not the original one/);
});

describe('doctor', () => {
  test('passes on a healthy deployment', async () => {
    const deployment = await createDeployment();
    await deployment.start();
    const { code, stdout, stderr } = await runParley(['doctor'], { DATA_DIR: deployment.dataDir });
    assert.equal(code, 0, stdout + stderr);
    for (const name of [
      'database',
      'file store (local)',
      'pools',
      'encryption keys',
      'mail',
      'messaging network (simulator)',
    ])
      assert.ok(stdout.includes(`ok       ${name}: `), `${name} in ${stdout}`);
  });

  test('names every adapter that fails and what to do', async () => {
    const deployment = await createDeployment();
    await deployment.start();
    const models = await startFakeModels();
    after(() => models.stop());
    const nowhere = 'http://127.0.0.1:1/v1';
    const { code, stdout, stderr } = await runParley(['doctor', '--json'], {
      DATA_DIR: deployment.dataDir,
      ASSISTANT_PROVIDER: 'openai-compatible',
      MODEL_BASE_URL: `${models.url}/v1`,
      MODEL_LEVEL_1: 'small',
      EMBEDDING_MODEL: 'embed',
      EMBEDDING_BASE_URL: nowhere,
      SPEECH_PROVIDER: 'openai-compatible',
      SPEECH_BASE_URL: nowhere,
      SPEECH_MODEL: 'speak',
      SPEECH_VOICE: 'one',
      TRANSCRIPTION_MODEL: 'hear',
      MAIL_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'noreply@parley.example',
      SIMULATOR_URL: 'http://127.0.0.1:1',
    });
    assert.equal(code, 1, stdout + stderr);
    const findings: { name: string; status: string; fix?: string }[] = JSON.parse(stdout);
    const failed = findings.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ name }) => name),
      [
        'embedding model embed',
        'speech (openai-compatible)',
        'transcription (openai-compatible)',
        'mail (smtp)',
        'messaging network (simulator)',
      ],
    );
    for (const { name, fix } of failed) assert.match(fix ?? '', /check|start a process/, name);
    const model = findings.find(({ name }) => name === 'language model small (MODEL_LEVEL_1)');
    assert.equal(model?.status, 'ok');
  });

  test('reports an unreachable WhatsApp', async () => {
    const deployment = await createDeployment();
    await deployment.start();
    const { code, stdout } = await runParley(['doctor'], {
      DATA_DIR: deployment.dataDir,
      MESSAGING_NETWORK: 'whatsapp',
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
    });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /FAILED {3}connection to WhatsApp: https:\/\/web\.whatsapp\.com cannot be reached: .*\n.*HTTPS_PROXY/,
    );
  });

  test('reports an unreachable database', async () => {
    const { code, stdout } = await runParley(['doctor'], {
      DATABASE_URL: 'postgres://parley:hunter22@127.0.0.1:1/parley',
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    });
    assert.equal(code, 1);
    assert.match(stdout, /FAILED {3}database: .*127\.0\.0\.1:1\/parley cannot be used/);
    assert.doesNotMatch(stdout, /hunter22/);
  });
});

const requestToken = (url: string, apiKey: object): Promise<Response> =>
  fetch(`${url}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(apiKey),
  });

const exchange = async (url: string, apiKey: object): Promise<number> =>
  (await requestToken(url, apiKey)).status;

async function exchangeForToken(url: string, apiKey: object): Promise<string> {
  const { data } = (await (await requestToken(url, apiKey)).json()) as { data: { access_token: string } };
  return data.access_token;
}
