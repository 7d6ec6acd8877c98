import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { createApiClient } from '../api-client.ts';
import { createDeployment, type Deployment } from '../start-stop/deployment.ts';
import { runParley } from './run-parley.ts';

const run = promisify(execFile);
const debianAge = '/usr/bin/age';
const teamName = 'Lumen Bikes of the canary';
const documentText = 'The words of a private document.\n'.repeat(5000);

interface Key {
  key_id: string;
  key_secret: string;
}

async function connect(url: string, key: Key) {
  const response = await fetch(`${url}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(key),
  });
  const { data } = (await response.json()) as { data: { access_token: string } };
  return createApiClient(url, data.access_token);
}

const readKey = async ({ dataDir }: Deployment): Promise<Key> =>
  JSON.parse(await readFile(join(dataDir, 'first-api-key.json'), 'utf8'));

/** Starts a deployment, adds a team with a document, and stops it. */
async function createFilled(): Promise<{ deployment: Deployment; key: Key; documentId: string }> {
  const deployment = await createDeployment({});
  const service = await deployment.start();
  const key = await readKey(deployment);
  const api = await connect(service.url, key);
  const team = await api('POST', '/teams', {
    body: { user: { name: 'Ada', email: 'ada@example.com' }, team: { name: teamName } },
  });
  const body = new FormData();
  body.set('team_id', team.body.data.team.id);
  body.set('file', new File([documentText], 'private.txt', { type: 'text/plain' }));
  const uploaded = await api('POST', '/documents', { body });
  assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
  await service.stop();
  return { deployment, key, documentId: uploaded.body.data.id };
}

/** Outside the suite, whose hooks would remove it. */
const source = await createFilled();

describe('a backup of a stopped deployment', { timeout: 600_000 }, () => {
  const backUp = async (name: string, ...options: string[]) => {
    const folder = join(source.deployment.dataDir, '..', name);
    const environment = { DATA_DIR: source.deployment.dataDir };
    const { code, stdout, stderr } = await runParley(['backup', folder, ...options], environment);
    assert.equal(code, 0, stderr);
    return { folder, stdout };
  };
  const restore = async (
    folder: string,
    options: string[] = [],
    environment: Record<string, string> = {},
  ) => {
    const target = await createDeployment({});
    const done = await runParley(['restore', folder, ...options], {
      DATA_DIR: target.dataDir,
      ...environment,
    });
    return { target, ...done };
  };
  const requireContent = async (target: Deployment, environment: Record<string, string> = {}) => {
    const service = await target.start(environment);
    const api = await connect(service.url, source.key);
    const { body } = await api('GET', '/teams');
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      [teamName],
    );
    const content = await api('GET', `/documents/${source.documentId}/content`);
    assert.equal(Buffer.from(content.bytes).toString(), documentText);
    await service.stop();
  };

  test('encrypts every file to a recipient, and is restored with its identity only', async (t) => {
    const identity = await generateX25519Identity();
    const other = await generateX25519Identity();
    const identityFile = join(source.deployment.dataDir, '../identity.txt');
    const otherFile = `${identityFile}.other`;
    await writeFile(identityFile, `# created: today\n# public key: …\n${identity}\n`);
    await writeFile(otherFile, `${other}\n`);
    const { folder } = await backUp('encrypted', '--recipient', await identityToRecipient(identity));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    assert.ok(files.length > 20);
    for (const file of files) {
      assert.match(file, /\.age$/);
      const content = await readFile(file, 'latin1');
      assert.ok(content.startsWith('age-encryption.org/v1\n'), file);
      for (const secret of [teamName, source.key.key_secret]) assert.ok(!content.includes(secret), file);
    }
    assert.ok(existsSync(join(folder, 'encryption-key.age')));

    assert.match((await restore(folder)).stderr, /The backup is encrypted: name the file .* with --identity/);
    assert.match(
      (await restore(folder, ['--identity', otherFile])).stderr,
      /cannot be decrypted, .*: no identity matched/,
    );
    const { target, code, stdout, stderr } = await restore(folder, ['--identity', identityFile]);
    assert.equal(code, 0, stdout + stderr);
    await requireContent(target);

    if (existsSync(debianAge)) {
      const { stdout: manifest } = await run(debianAge, [
        '-d',
        '-i',
        identityFile,
        join(folder, 'backup.json.age'),
      ]);
      assert.equal(JSON.parse(manifest).format, 1);
    } else t.diagnostic(`skipped the comparison with age: ${debianAge} is not installed`);

    const [row = ''] = files.filter((file) => file.endsWith('teams.copy.gz.age'));
    await truncate(row, (await readFile(row)).length - 1);
    const damaged = await restore(folder, ['--identity', identityFile]);
    assert.equal(damaged.code, 1);
    assert.match(damaged.stderr, /^A file of the backup cannot be decrypted, or it is damaged: [\w ]+\n$/);
  });

  test('reads a backup that Debian’s age encrypted', {
    skip: !existsSync(debianAge) && `${debianAge} is not installed`,
  }, async () => {
    const identity = await generateX25519Identity();
    const identityFile = join(source.deployment.dataDir, '../identity-2.txt');
    await writeFile(identityFile, `${identity}\n`);
    const { folder } = await backUp('plain');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = join(entry.parentPath, entry.name);
      await run(debianAge, ['-r', await identityToRecipient(identity), '-o', `${file}.age`, file]);
      await rm(file);
    }
    const { target, code, stderr } = await restore(folder, ['--identity', identityFile]);
    assert.equal(code, 0, stderr);
    await requireContent(target);
  });

  test('without keys is restored with ENCRYPTION_KEY only', async () => {
    const { folder, stdout } = await backUp('without-keys', '--without-keys');
    assert.match(stdout, /The encryption key is not in the backup/);
    assert.deepEqual((await readdir(folder)).sort(), ['backup.json', 'database', 'files']);
    const refused = await restore(folder);
    assert.match(
      refused.stderr,
      /The backup has no encryption key: set ENCRYPTION_KEY to the key [0-9a-f]{16}/,
    );
    assert.deepEqual(existsSync(join(refused.target.dataDir, 'encryption-key')), false);
    const ENCRYPTION_KEY = (await readFile(join(source.deployment.dataDir, 'encryption-key'), 'utf8')).trim();
    const { target, code, stderr } = await restore(folder, [], { ENCRYPTION_KEY });
    assert.equal(code, 0, stderr);
    await requireContent(target, { ENCRYPTION_KEY });
  });

  test('refuses options that cannot work', async () => {
    const folder = join(source.deployment.dataDir, '../refused');
    const environment = { DATA_DIR: source.deployment.dataDir };
    for (const recipient of ['', 'age1', 'ssh-ed25519 AAAA', 'AGE-SECRET-KEY-1']) {
      const { code, stderr } = await runParley(['backup', folder, '--recipient', recipient], environment);
      assert.equal(code, 1);
      assert.match(stderr, /--recipient is no public key of age/);
    }
    assert.equal(existsSync(folder), false);
    const { folder: plain } = await backUp('plain-2');
    const identityFile = join(source.deployment.dataDir, '../identity-3.txt');
    await writeFile(identityFile, `${await generateX25519Identity()}\n`);
    assert.match((await restore(plain, ['--identity', identityFile])).stderr, /The backup is not encrypted/);
    await writeFile(identityFile, '# nothing\n');
    assert.match((await restore(plain, ['--identity', identityFile])).stderr, /holds no secret key of age/);
    assert.match((await restore(plain, ['--identity', `${plain}/none`])).stderr, /--identity cannot be read/);
  });
});
