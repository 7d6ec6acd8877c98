import assert from 'node:assert/strict';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { mediaKey } from '../../src/knowledge/documents/file-keys.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { createFileStore } from '../../src/ports/file-store/create-file-store.ts';
import { readConfig } from '../../src/process/config.ts';
import { createApiClient } from '../api-client.ts';
import { queryOnce } from '../embedded-members.ts';
import { startS3Server, takeBucket } from '../s3-server.ts';
import { createDeployment, type Deployment, key } from '../start-stop/deployment.ts';
import { createEmptyDatabase } from '../test-database.ts';
import { runParley } from './run-parley.ts';

const encryptionKey = Buffer.alloc(32, 9).toString('base64');

type Environment = Record<string, string>;

async function createOutside(): Promise<Environment> {
  const database = await createEmptyDatabase();
  after(() => database.drop());
  return { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey };
}

const s3 = await startS3Server();
after(s3.close);

const createInBucket = async (): Promise<Environment> => ({
  ...(await createOutside()),
  ...s3.environment(takeBucket()),
});

/** Stores a large medium of a message. Returns its id. */
async function addMedium(environment: Environment, team: string): Promise<string> {
  const [id, bytes] = [newId(), Buffer.alloc(9_000_000, 7)];
  const key = mediaKey(team, newId());
  await createFileStore(readConfig(environment)).put(key, bytes);
  await queryOnce(
    environment['DATABASE_URL'] ?? '',
    `with message as (
       insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
       values ('${id}', '${team}', '${newId()}', '+1555', 'in', 'contact', 'image', '', '${id}', 'answered'))
     insert into message_media (message_id, position, kind, mime_type, file_key, size)
     values ('${id}', 0, 'image', 'image/png', '${key}', ${bytes.length})`,
  );
  return id;
}

async function readMedium(url: string, id: string): Promise<Buffer> {
  const api = await createApiClient(url, await getToken(url));
  const { status, bytes } = await api('GET', `/messages/${id}/media`);
  assert.equal(status, 200);
  return Buffer.from(bytes);
}

describe('a backup of a running deployment, restored into an empty one', () => {
  for (const [kind, makeEnvironment] of [
    ['the embedded database', async (): Promise<Environment> => ({})],
    ['an outside database', createOutside],
    ['a bucket', createInBucket],
  ] as const) {
    test(`holds everything, with ${kind}`, async (t) => {
      const [original, copy] = [await createDeployment(), await createDeployment()];
      const [from, to] = [await makeEnvironment(), await makeEnvironment()];
      const service = await original.start(from);
      const team = await fill(service.url);
      const before = await read(service.url, team);
      const medium =
        from['FILE_STORE'] === 's3' ? await addMedium({ DATA_DIR: original.dataDir, ...from }, team) : null;
      const folder = join(original.dataDir, '../backup');
      const backup = await runParley(['backup', folder], { DATA_DIR: original.dataDir, ...from });
      assert.equal(backup.code, 0, backup.stderr);
      t.diagnostic(`backup: ${backup.stdout.trim().replaceAll('\n', '; ')}`);
      assert.match(backup.stdout, medium === null ? /^files: 3, /m : /^files: 4, /m);
      await service.stop();

      const target = { DATA_DIR: copy.dataDir, ...to };
      const restored = await runParley(['restore', folder], target);
      assert.equal(restored.code, 0, restored.stdout + restored.stderr);
      t.diagnostic(`restore: ${restored.stdout.trim()}`);
      const again = await runParley(['restore', folder], target);
      assert.equal(again.code, 1, 'a second restore finds a deployment that is not empty');
      const restarted = await copy.start(to);
      assert.deepEqual(await read(restarted.url, team), before);
      if (medium !== null)
        assert.ok(Buffer.alloc(9_000_000, 7).equals(await readMedium(restarted.url, medium)));
      await fill(restarted.url);
      await restarted.stop();
    });
  }
});

describe('a damaged or incomplete backup', () => {
  test('is refused, and restores no row', async () => {
    const original = await createDeployment();
    const service = await original.start();
    await fill(service.url);
    const folder = join(original.dataDir, '../backup');
    assert.equal((await runParley(['backup', folder], { DATA_DIR: original.dataDir })).code, 0);
    const again = await runParley(['backup', folder], { DATA_DIR: original.dataDir });
    assert.match(again.stderr, /backup is not empty: name a new folder/);
    await service.stop();
    const manifest = JSON.parse(await readFile(join(folder, 'backup.json'), 'utf8'));
    const [file = ''] = Object.keys(manifest.files);
    await rm(join(original.dataDir, 'files', file));
    const lost = await runParley(['backup', `${folder}-2`], { DATA_DIR: original.dataDir });
    assert.match(lost.stderr, /The file store lacks 1 files/);
    const content = await readFile(join(folder, 'files', file));
    await writeFile(join(folder, 'files', file), 'other');
    assert.match(await refuse(folder), /is damaged: it has another checksum/);
    await writeFile(join(folder, 'files', file), content);
    await truncate(join(folder, 'database/documents.copy.gz'), 40);
    assert.match(await refuse(folder), /unexpected end of file|documents.copy.gz is damaged/);
    await rm(join(folder, 'backup.json'));
    assert.match(await refuse(folder), /holds no complete backup: backup.json is missing/);
  });
});

/** Restores into a new deployment, which must fail. */
async function refuse(folder: string): Promise<string> {
  const target: Deployment = await createDeployment();
  const { code, stderr } = await runParley(['restore', folder], { DATA_DIR: target.dataDir });
  assert.equal(code, 1, stderr);
  return stderr;
}

/** Creates a team with a published bot, a device and three documents. Returns the team's id. */
async function fill(url: string): Promise<string> {
  const token = await getToken(url);
  const api = await createApiClient(url, token);
  const team = await api('POST', '/teams', {
    body: {
      user: { name: 'Front office', email: 'office@lumen-bikes.example' },
      team: { name: 'Lumen Bikes' },
    },
  });
  const id: string = team.body.data.team.id;
  const documentIds: string[] = [];
  for (const name of ['one.txt', 'two.txt', 'three.txt']) {
    const form = new FormData();
    form.set('team_id', id);
    form.set('file', new File([`The text of ${name}.\n`.repeat(500)], name, { type: 'text/plain' }));
    const response = await fetch(`${url}/api/openapi/v1/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    assert.equal(response.status, 200, await response.clone().text());
    documentIds.push(((await response.json()) as { data: { id: string } }).data.id);
  }
  const bot = await api('POST', '/bots', {
    body: {
      team_id: id,
      name: 'Lumen',
      document_ids: documentIds,
      questions: [{ question: 'Do you lend helmets?', answer: 'Yes.' }],
    },
  });
  assert.equal((await api('POST', `/bots/${bot.body.data.id}/publish`)).status, 200);
  const device = await api('POST', '/devices', {
    body: { team_id: id, bot_id: bot.body.data.id, name: 'Desk' },
  });
  assert.equal(device.status, 200, JSON.stringify(device.body));
  return id;
}

/** Returns what the API shows, and the content of each document. */
async function read(url: string, team: string): Promise<object> {
  const token = await getToken(url);
  const api = await createApiClient(url, token);
  const lists: Record<string, unknown> = {};
  for (const path of [
    '/plans',
    '/teams',
    `/documents?team_id=${team}`,
    `/bots?team_id=${team}`,
    '/api-keys',
  ]) {
    const { data, meta } = (await api('GET', path)).body;
    lists[path] = { data: withoutUse(data), meta };
  }
  const documents = (await api('GET', `/documents?team_id=${team}`)).body.data as { id: string }[];
  const contents: Record<string, string> = {};
  for (const { id } of documents) {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/openapi/v1/documents/${id}/content`, { headers });
    contents[id] = await response.text();
  }
  const [bot] = (await api('GET', `/bots?team_id=${team}`)).body.data as { id: string }[];
  const answer = await api('POST', `/bots/${bot?.id}/ask`, { body: { question: 'Do you lend helmets?' } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return { lists, contents, answer: answer.body.data.answer };
}

/** The time of the last use depends on when this was read. */
const withoutUse = (rows: object[]): object[] => rows.map((row) => ({ ...row, last_used: null }));

async function getToken(url: string): Promise<string> {
  const response = await fetch(`${url}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(key),
  });
  return ((await response.json()) as { data: { access_token: string } }).data.access_token;
}
