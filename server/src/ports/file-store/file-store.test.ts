import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../process/config.ts';
import { createFileStore } from './create-file-store.ts';
import { describeFileStore, listKeys } from './file-store.contract.ts';

let scratch: string;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'parley-file-store-'));
});
after(() => rm(scratch, { recursive: true }));

const openStore = (fileStore: 'local' | 'memory', dataDir: string) =>
  createFileStore({ ...readConfig({ DATA_DIR: dataDir }), FILE_STORE: fileStore });

const makeDataDir = (): Promise<string> => mkdtemp(join(scratch, 'data-'));

describeFileStore('local', async () => openStore('local', await makeDataDir()));
describeFileStore('memory', async () => openStore('memory', 'unused'));

describe('the local file store', () => {
  it('lists no incomplete file and deletes old ones left by a crash', async () => {
    const dataDir = await makeDataDir();
    const incoming = join(dataDir, 'files', '~incoming');
    await mkdir(incoming, { recursive: true });
    await writeFile(join(incoming, 'abandoned'), 'half');
    await writeFile(join(incoming, 'under-way'), 'half');
    await utimes(join(incoming, 'abandoned'), new Date(0), new Date(0));

    const store = openStore('local', dataDir);
    await store.put('team/a', new Uint8Array([1]));
    assert.deepEqual(await listKeys(store, ''), ['team/a']);
    assert.deepEqual(await readdir(incoming), ['under-way']);
  });

  it('leaves no temporary file after a put that fails', async () => {
    const dataDir = await makeDataDir();
    const store = openStore('local', dataDir);
    await store.put('team', new Uint8Array([1]));
    await assert.rejects(store.put('team/a', new Uint8Array([1])));
    assert.deepEqual(await readdir(join(dataDir, 'files', '~incoming')), []);
  });

  it('shares objects with another store on the same directory', async () => {
    const dataDir = await makeDataDir();
    await openStore('local', dataDir).put('team/a', new Uint8Array([7]));
    const reopened = openStore('local', dataDir);
    assert.deepEqual([...((await reopened.get('team/a')) ?? [])], [7]);
  });

  it('deletes the folder of an emptied prefix', async () => {
    const dataDir = await makeDataDir();
    const store = openStore('local', dataDir);
    await store.put('team/a', new Uint8Array([1]));
    await store.delete('team/a');
    assert.equal((await readdir(join(dataDir, 'files'))).includes('team'), false);
  });
});
