import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { queryOnce } from '../../test/embedded-members.ts';
import { eventually } from '../../test/eventually.ts';
import { createTestDatabase } from '../../test/test-database.ts';
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

const claim = (dataDir: string) => claimDocumentFolder({ db, dataDir, installationId });
const emptyFolder = () => mkdtemp(join(scratch, 'data-'));
const identityOf = async (dataDir: string) =>
  (await readFile(join(dataDir, 'document-folder-id'), 'utf8')).trim();
const run = (statement: string) => queryOnce(database.url, statement);
const remembered = async () =>
  (await run('select document_folder from installation'))[0]?.['document_folder'];
const forget = () => run('update installation set document_folder = null');

const elsewhere = { name: 'DocumentsElsewhere' };
const taken = { name: 'DataDirectoryTaken' };

let dataDir = '';
beforeEach(async () => {
  dataDir = await emptyFolder();
});
afterEach(forget);

describe('a database', () => {
  test('keeps to the folder that it was started on first, and leaves one that it refuses as it was', async () => {
    await claim(dataDir);
    await claim(dataDir);
    assert.equal(await remembered(), await identityOf(dataDir));
    const other = await emptyFolder();
    await assert.rejects(claim(other), elsewhere);
    assert.deepEqual(await readdir(other), []);
    await claim(dataDir);
  });

  test('knows its folder after that was moved', async () => {
    await claim(dataDir);
    const moved = `${dataDir}-moved`;
    await rename(dataDir, moved);
    await claim(moved);
  });

  test('has one folder when many programs start at once, all of them on that', async () => {
    await Promise.all(Array.from({ length: 8 }, () => claim(dataDir)));
    assert.equal(await remembered(), await identityOf(dataDir));
    assert.deepEqual((await readdir(dataDir)).sort(), ['document-folder-id', 'installation-id']);
  });

  test('has one folder when a program starts while another gives that its identity', async () => {
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

  test('has one folder when many programs start at once, each on another: all but one are refused', async () => {
    const folders = await Promise.all(Array.from({ length: 8 }, emptyFolder));
    const outcomes = await Promise.allSettled(folders.map(claim));
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.deepEqual(
      refusals.map(({ reason }) => reason.name),
      Array.from({ length: 7 }, () => elsewhere.name),
    );
    const chosen = folders.filter((_folder, index) => outcomes[index]?.status === 'fulfilled');
    assert.deepEqual(await Promise.all(chosen.map(identityOf)), [await remembered()]);
  });

  test('takes the folder that it had before folders were remembered', async () => {
    await writeFile(join(dataDir, 'installation-id'), `${installationId}\n`);
    await claim(dataDir);
    assert.equal(await remembered(), await identityOf(dataDir));
    const other = await emptyFolder();
    await writeFile(join(other, 'installation-id'), `${installationId}\n`);
    await assert.rejects(claim(other), elsewhere);
  });

  test('takes another folder once it has forgotten one that is lost, by the statement of the refusal', async () => {
    const lost = await emptyFolder();
    await claim(lost);
    const refused = await claim(dataDir).catch((error: Error) => error.message);
    const [, statement] = /: (update .*;)$/.exec(refused ?? '') ?? [];
    assert.ok(statement, refused ?? 'not refused');
    await run(statement);
    await claim(dataDir);
    await assert.rejects(claim(lost), elsewhere);
  });
});

describe('a folder', () => {
  for (const file of ['document-folder-id', 'installation-id']) {
    test(`whose ${file} is empty is refused, and not remembered`, async () => {
      await writeFile(join(dataDir, file), '\n');
      await assert.rejects(claim(dataDir), { name: 'IdentityEmpty' });
      assert.equal(await remembered(), null);
      await rm(join(dataDir, file));
      await claim(dataDir);
      assert.deepEqual((await readdir(dataDir)).sort(), ['document-folder-id', 'installation-id']);
    });
  }

  test('keeps to its database, is refused to others before they remember it, and is free when its owner is removed', async () => {
    await writeFile(join(dataDir, 'installation-id'), 'another\n');
    await assert.rejects(claim(dataDir), taken);
    assert.equal(await remembered(), null);
    assert.deepEqual(await readdir(dataDir), ['installation-id']);
    await rm(join(dataDir, 'installation-id'));
    await claim(dataDir);
  });
});

describe('after an end in the middle of a first start, the next one goes on', () => {
  test('when the folder has its identity and the database does not know it', async () => {
    await run('alter table installation add constraint full_disk check (document_folder is null)');
    await assert.rejects(claim(dataDir), /full_disk/);
    const identity = await identityOf(dataDir);
    await run('alter table installation drop constraint full_disk');
    await claim(dataDir);
    assert.equal(await remembered(), identity);
  });

  test('when the folder has an owner and could not be given its identity, which the database then does not know either', async () => {
    const inTheWay = join(dataDir, 'document-folder-id');
    await mkdir(inTheWay);
    await assert.rejects(claim(dataDir), { code: 'EISDIR' });
    assert.equal(await remembered(), null);
    await rm(inTheWay, { recursive: true });
    await claim(dataDir);
  });

  test('when the database knows the folder and that has lost its owner', async () => {
    await claim(dataDir);
    await rm(join(dataDir, 'installation-id'));
    await claim(dataDir);
    assert.equal(await readFile(join(dataDir, 'installation-id'), 'utf8'), `${installationId}\n`);
  });
});
