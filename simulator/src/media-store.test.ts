import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { openMediaStore } from './media-store.ts';

test('leaves no file behind on a full disk, and stores media once there is space', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'media-'));
  t.after(() => rm(directory, { recursive: true }));
  const store = await openMediaStore(directory);
  const bytes = Buffer.from('a picture');
  const full = mock.method(
    await fileHandles(directory),
    'writeFile',
    async function (this: { write(bytes: Uint8Array): Promise<unknown> }, all: Uint8Array) {
      await this.write(all.subarray(0, 3));
      throw new Error('ENOSPC');
    },
  );
  await assert.rejects(store.put(bytes), /ENOSPC/);
  full.mock.restore();
  assert.deepEqual(await readdir(directory), []);
  const name = await store.put(bytes);
  assert.deepEqual(await readdir(directory), [name]);
  assert.deepEqual(await store.get(name), bytes);
});

/** Returns the prototype of file handles, for mocks. */
async function fileHandles(path: string): Promise<{
  writeFile(bytes: Uint8Array): Promise<void>;
  write(bytes: Uint8Array): Promise<unknown>;
}> {
  const file = await open(path);
  await file.close();
  return Object.getPrototypeOf(file);
}
