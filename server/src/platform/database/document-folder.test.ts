import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { queryOnce } from '../../../test/embedded-members.ts';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { createMemoryFileStore } from '../../ports/file-store/memory.ts';
import { findDocumentPlace } from '../../process/document-place.ts';
import { connectDatabase } from './database.ts';
import { claimDocumentFolder } from './document-folder.ts';
import { readInstallationId } from './installation.queries.ts';

const database = await createTestDatabase();
const { db, close } = connectDatabase({
  url: database.url,
  poolSize: 8,
  applicationName: 'test',
  logger: { warn: () => undefined },
});
const installationId = await readInstallationId(db);
const scratch = await mkdtemp(join(tmpdir(), 'parley-document-folder-'));
after(async () => {
  await close();
  await database.drop();
  await rm(scratch, { recursive: true, force: true });
});

const placeIn = (dataDir: string) =>
  findDocumentPlace({ FILE_STORE: 'local', DATA_DIR: dataDir, S3_BUCKET: null }, createMemoryFileStore());
const claim = (dataDir: string) => claimDocumentFolder({ db, place: placeIn(dataDir), installationId });
const emptyFolder = () => mkdtemp(join(scratch, 'data-'));
const readIdentity = async (dataDir: string) =>
  (await readFile(join(dataDir, 'document-folder-id'), 'utf8')).trim();
const run = (statement: string) => queryOnce(database.url, statement);
const remembered = async () =>
  (await run('select document_folder from installation'))[0]?.['document_folder'];
const forget = () => run('update installation set document_folder = null');

const folderElsewhere = { name: 'DocumentsElsewhere' };
const folderTaken = { name: 'DataDirectoryTaken' };

let dataDir = '';
beforeEach(async () => {
  dataDir = await emptyFolder();
});
afterEach(forget);

describe('a database', () => {
  test('keeps its first folder and does not change a rejected folder', async () => {
    await claim(dataDir);
    await claim(dataDir);
    assert.equal(await remembered(), await readIdentity(dataDir));
    const other = await emptyFolder();
    await assert.rejects(claim(other), folderElsewhere);
    assert.deepEqual(await readdir(other), []);
    await claim(dataDir);
  });

  test('recognizes its folder after it was moved', async () => {
    await claim(dataDir);
    const moved = `${dataDir}-moved`;
    await rename(dataDir, moved);
    await claim(moved);
  });

  test('accepts many programs that start at once in one folder', async () => {
    await Promise.all(Array.from({ length: 8 }, () => claim(dataDir)));
    assert.equal(await remembered(), await readIdentity(dataDir));
    assert.deepEqual((await readdir(dataDir)).sort(), ['document-folder-id', 'installation-id']);
  });

  test('accepts a program that starts while another one claims the same folder', async () => {
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('begin; lock table installation in access exclusive mode');
      const claimed = claim(dataDir);
      await eventually(async () => {
        const { rowCount } = await other.query(
          "select from pg_locks where not granted and relation = 'installation'::regclass",
        );
        assert.equal(rowCount, 1);
      });
      await writeFile(join(dataDir, 'document-folder-id'), 'agreed\n');
      await other.query("update installation set document_folder = 'agreed'; commit");
      await claimed;
    } finally {
      await other.end();
    }
  });

  test('accepts one folder when many programs start at once in different folders', async () => {
    const folders = await Promise.all(Array.from({ length: 8 }, emptyFolder));
    const outcomes = await Promise.allSettled(folders.map(claim));
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.deepEqual(
      refusals.map(({ reason }) => reason.name),
      Array.from({ length: 7 }, () => folderElsewhere.name),
    );
    const chosen = folders.filter((_folder, index) => outcomes[index]?.status === 'fulfilled');
    assert.deepEqual(await Promise.all(chosen.map(readIdentity)), [await remembered()]);
  });

  test('accepts the folder of a database from before it stored folder ids', async () => {
    await writeFile(join(dataDir, 'installation-id'), `${installationId}\n`);
    await claim(dataDir);
    assert.equal(await remembered(), await readIdentity(dataDir));
    const other = await emptyFolder();
    await writeFile(join(other, 'installation-id'), `${installationId}\n`);
    await assert.rejects(claim(other), folderElsewhere);
  });

  test('accepts another folder after the statement in the error message', async () => {
    const lost = await emptyFolder();
    await claim(lost);
    const refused = await claim(dataDir).catch((error: Error) => error.message);
    const [, statement] = /: (update .*;)$/.exec(refused ?? '') ?? [];
    assert.ok(statement, refused ?? 'not refused');
    await run(statement);
    await claim(dataDir);
    await assert.rejects(claim(lost), folderElsewhere);
  });
});

describe('a folder', () => {
  for (const file of ['document-folder-id', 'installation-id']) {
    test(`is rejected and not stored if its ${file} is empty`, async () => {
      await writeFile(join(dataDir, file), '\n');
      await assert.rejects(claim(dataDir), { name: 'IdentityEmpty' });
      assert.equal(await remembered(), null);
      await rm(join(dataDir, file));
      await claim(dataDir);
      assert.deepEqual((await readdir(dataDir)).sort(), ['document-folder-id', 'installation-id']);
    });
  }

  test('belongs to one database until its owner file is removed', async () => {
    await writeFile(join(dataDir, 'installation-id'), 'another\n');
    await assert.rejects(claim(dataDir), folderTaken);
    assert.equal(await remembered(), null);
    assert.deepEqual(await readdir(dataDir), ['installation-id']);
    await rm(join(dataDir, 'installation-id'));
    await claim(dataDir);
  });
});

describe('after an interrupted first start, the next one continues', () => {
  test('when the folder has its identity but the database does not store it', async () => {
    await run('alter table installation add constraint full_disk check (document_folder is null)');
    await assert.rejects(claim(dataDir), /full_disk/);
    const identity = await readIdentity(dataDir);
    await run('alter table installation drop constraint full_disk');
    await claim(dataDir);
    assert.equal(await remembered(), identity);
  });

  test('when the folder has an owner but no identity', async () => {
    const inTheWay = join(dataDir, 'document-folder-id');
    await mkdir(inTheWay);
    await assert.rejects(claim(dataDir), { code: 'EISDIR' });
    assert.equal(await remembered(), null);
    await rm(inTheWay, { recursive: true });
    await claim(dataDir);
  });

  test('when the database stores the folder but the folder has lost its owner', async () => {
    await claim(dataDir);
    await rm(join(dataDir, 'installation-id'));
    await claim(dataDir);
    assert.equal(await readFile(join(dataDir, 'installation-id'), 'utf8'), `${installationId}\n`);
  });
});
