import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionEntry } from '@parley/server/messaging-network';
import type { SignalDataSet } from 'baileys';
import { MemorySessionStore } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { StoredState } from './stored-state.ts';

/** Records accesses. Each write waits for `writable`, and each read for `readable`. */
class RecordingStore extends MemorySessionStore {
  readonly writes: string[][] = [];
  readonly reads: string[] = [];
  writable: Promise<void> = Promise.resolve();
  readable: Promise<void> = Promise.resolve();

  override async read(kind: string, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await super.read(kind, ids);
    this.reads.push(...ids.map((id) => `${kind} ${id}`));
    await this.readable;
    return found;
  }

  override async write(entries: readonly SessionEntry[]): Promise<void> {
    this.writes.push(entries.map(({ kind, id }) => `${kind} ${id}`));
    await this.writable;
    await super.write(entries);
  }
}

async function open() {
  const store = new RecordingStore();
  const failures: unknown[] = [];
  const state = await StoredState.open(store, (error) => failures.push(error));
  store.reads.length = 0;
  return { store, state, failures };
}

/** The library's type of this value is wrong: it stores objects without bytes. */
const session = (text: string) => ({ text }) as unknown as Uint8Array;
const set = async ({ keys }: StoredState, data: SignalDataSet): Promise<void> => keys.set(data);
const read = async ({ keys }: StoredState, id: string) => {
  const { [id]: value } = await keys.get('session', [id]);
  return (value as { text?: string } | undefined)?.text;
};

describe('the stored state of a device', () => {
  test('stores writes that arrive together, or during another one, with one write each', async () => {
    const { store, state } = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.writable = promise;
    const first = [set(state, { session: { a: session('1') } }), set(state, { tctoken: { a: null } })];
    while (store.writes.length === 0) await new Promise(setImmediate);
    const second = ['b', 'c'].map((id) => set(state, { session: { [id]: session(id) } }));
    resolve();
    await Promise.all([...first, ...second]);
    assert.deepEqual(store.writes, [
      ['session a', 'tctoken a'],
      ['session b', 'session c'],
    ]);
  });

  test('writes a value once, and resolves a repeated write after the first', async () => {
    const { store, state } = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.writable = promise;
    const value = session('1');
    const ended: string[] = [];
    const write = async (name: string) => {
      await set(state, { session: { a: value } });
      ended.push(name);
    };
    const writes = [write('first'), write('repeated')];
    while (store.writes.length === 0) await new Promise(setImmediate);
    writes.push(write('late'));
    await new Promise(setImmediate);
    assert.deepEqual(ended, []);
    resolve();
    await Promise.all(writes);
    await set(state, { session: { a: session('1') } });
    assert.deepEqual(store.writes, [['session a'], ['session a']]);
  });

  test('reads a key once, also an absent or removed one', async () => {
    const { store, state } = await open();
    await store.write([{ kind: 'session', id: 'a', value: Buffer.from('{"text":"stored"}') }]);
    for (let n = 0; n < 2; n += 1) assert.equal(await read(state, 'a'), 'stored');
    for (let n = 0; n < 2; n += 1) assert.equal(await read(state, 'absent'), undefined);
    await set(state, { session: { a: null } });
    assert.equal(await read(state, 'a'), undefined);
    assert.deepEqual(store.reads, ['session a', 'session absent']);
  });

  test('does not remember a value that was replaced while it was read', async () => {
    const { store, state } = await open();
    await store.write([{ kind: 'session', id: 'a', value: Buffer.from('{"text":"old"}') }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    store.readable = promise;
    const reading = read(state, 'a');
    while (store.reads.length === 0) await new Promise(setImmediate);
    await set(state, { session: { a: session('new') } });
    resolve();
    await reading;
    assert.equal(await read(state, 'a'), 'new');
  });

  test('returns the newest value of a key that it no longer remembers while its write waits', async () => {
    const { store, state } = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    store.writable = promise;
    const ids = Array.from({ length: 1000 }, (_, n) => `${n}`);
    const writes = ids.map((id) => set(state, { session: { [id]: session(`value ${id}`) } }));
    const reading = read(state, '0');
    resolve();
    assert.equal(await reading, 'value 0');
    await Promise.all(writes);
  });

  test('rejects all waiting and later writes after a failed one, and reports it once', async () => {
    const { store, state, failures } = await open();
    const { promise, reject } = Promise.withResolvers<void>();
    store.writable = promise;
    const first = set(state, { session: { a: session('1') } });
    while (store.writes.length === 0) await new Promise(setImmediate);
    const second = set(state, { session: { b: session('2') } });
    reject(new Error('lost'));
    await assert.rejects(first, /lost/);
    await assert.rejects(second, { name: 'SessionOver' });
    await assert.rejects(set(state, { session: { a: session('3') } }), { name: 'SessionOver' });
    assert.equal(failures.length, 1);
    assert.equal(store.writes.length, 1);
  });
});
