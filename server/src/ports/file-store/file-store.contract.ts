import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { FileStore } from './file-store.ts';

const badKeys = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  '../a',
  'a/../b',
  'a/./b',
  'a\\b',
  'a b',
  'a\0',
  'ä',
  '~incoming/a',
];
const hello = new TextEncoder().encode('hello');
const world = new TextEncoder().encode('world');

/** Tests the guarantees of the port, which every adapter must keep. `makeStore` returns an empty store. */
export function describeFileStore(
  name: string,
  makeStore: () => Promise<FileStore>,
  { writesInPlace = false }: { writesInPlace?: boolean } = {},
): void {
  describe(`file store: ${name}`, () => {
    it('returns stored bytes and null for an unknown key', async () => {
      const store = await makeStore();
      await store.put('team/one.txt', hello);
      assert.deepEqual(Buffer.from((await store.get('team/one.txt')) ?? []), Buffer.from(hello));
      assert.equal(await store.get('team/two.txt'), null);
      assert.equal(await store.get('team/one.txt/below'), null);
      assert.equal(await store.get('team'), null);
      assert.equal(await store.exists('team/one.txt'), true);
      assert.equal(await store.exists('team'), false);
    });

    it('stores every byte value and an empty object', async () => {
      const store = await makeStore();
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      await store.put('bytes', everyByte);
      await store.put('empty', new Uint8Array());
      assert.deepEqual([...((await store.get('bytes')) ?? [])], [...everyByte]);
      assert.equal((await store.get('empty'))?.length, 0);
    });

    it('stores and returns a large object as a stream', async () => {
      const store = await makeStore();
      const part = (index: number) => Buffer.alloc(256 * 1024, index);
      const parts = Array.from({ length: 50 }, (_, index) => part(index));
      await store.put('large', Readable.from(parts));
      const opened = await store.open('large');
      assert.equal(opened?.size, 50 * 256 * 1024);
      assert.ok(Buffer.concat(parts).equals(await buffer(opened.stream)));
      assert.equal(await store.open('small'), null);
    });

    it('keeps the old object if the new source fails', async () => {
      const store = await makeStore();
      await store.put('a', hello);
      async function* failing() {
        yield Buffer.alloc(6 * 1024 * 1024);
        throw new Error('the source failed');
      }
      await assert.rejects(store.put('a', failing()), /the source failed/);
      await assert.rejects(store.put('b', failing()), /the source failed/);
      assert.deepEqual([...((await store.get('a')) ?? [])], [...hello]);
      assert.deepEqual(await listKeys(store, ''), ['a']);
    });

    it('is unaffected by later changes to the stored or returned array', async () => {
      const store = await makeStore();
      const mine = Uint8Array.from(hello);
      await store.put('a', mine);
      mine.fill(0);
      (await store.get('a'))?.fill(0);
      assert.deepEqual([...((await store.get('a')) ?? [])], [...hello]);
    });

    it('replaces an object with the same key', async () => {
      const store = await makeStore();
      await store.put('a', hello);
      await store.put('a', world);
      assert.deepEqual([...((await store.get('a')) ?? [])], [...world]);
    });

    it('returns the old or the new object, never a part', { skip: writesInPlace }, async () => {
      const store = await makeStore();
      const size = 512 * 1024;
      await store.put('big', new Uint8Array(size).fill(1));
      const writing = Promise.all(
        [2, 3, 4].map((value) => store.put('big', new Uint8Array(size).fill(value))),
      );
      for (let reading = 0; reading < 20; reading += 1) {
        const seen = await store.get('big');
        assert.equal(seen?.length, size);
        assert.ok(Buffer.alloc(size, seen?.[0]).equals(seen ?? new Uint8Array()));
      }
      await writing;
    });

    it('moves an object and accepts a repeated move', async () => {
      const store = await makeStore();
      await store.put('staged/a', hello);
      await store.move('staged/a', 'team/b');
      await store.move('staged/a', 'team/b');
      assert.equal(await store.exists('staged/a'), false);
      assert.deepEqual([...((await store.get('team/b')) ?? [])], [...hello]);
    });

    it('rejects moving an unknown object', async () => {
      const store = await makeStore();
      await assert.rejects(store.move('a', 'b'));
    });

    it('deletes an object and accepts an unknown key', async () => {
      const store = await makeStore();
      await store.put('team/a', hello);
      await store.put('team/b', hello);
      await store.delete('team/a');
      await store.delete('team/a');
      await store.delete('never/was');
      assert.equal(await store.exists('team/a'), false);
      assert.equal(await store.exists('team/b'), true);
    });

    it('loses no object during concurrent writes and deletions under one prefix', async () => {
      const store = await makeStore();
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await store.put(`team/passing-${index}`, hello);
          await store.delete(`team/passing-${index}`);
          await store.put(`team/kept-${index}`, world);
        }),
      );
      assert.equal((await listKeys(store, 'team/')).length, 20);
    });

    it('lists only the keys with the prefix', async () => {
      const store = await makeStore();
      assert.deepEqual(await listKeys(store, ''), []);
      for (const key of ['one/a', 'one/b/c', 'one-more/d', 'two/e', 'f']) await store.put(key, hello);
      assert.deepEqual(await listKeys(store, ''), ['f', 'one-more/d', 'one/a', 'one/b/c', 'two/e']);
      assert.deepEqual(await listKeys(store, 'one/'), ['one/a', 'one/b/c']);
      assert.deepEqual(await listKeys(store, 'one'), ['one-more/d', 'one/a', 'one/b/c']);
      assert.deepEqual(await listKeys(store, 'three/'), []);
    });

    for (const key of badKeys) {
      it(`rejects the key ${JSON.stringify(key)} in every operation`, async () => {
        const store = await makeStore();
        await assert.rejects(store.put(key, hello), TypeError);
        await assert.rejects(store.get(key), TypeError);
        await assert.rejects(store.open(key), TypeError);
        await assert.rejects(store.exists(key), TypeError);
        await assert.rejects(store.delete(key), TypeError);
        await assert.rejects(store.move(key, 'a'), TypeError);
        await assert.rejects(store.move('a', key), TypeError);
      });
    }

    it('rejects listing outside its root', async () => {
      const store = await makeStore();
      await assert.rejects(listKeys(store, '../'), TypeError);
    });
  });
}

export async function listKeys(store: FileStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys.sort();
}
