import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { connectTestDatabase } from '../../test/provider-on-test-database.ts';
import { textDocument } from '../adapters/assistant-provider/assistant-provider.contract.ts';
import { createLocalProvider } from '../adapters/assistant-provider/local/local-provider.ts';

const database = await connectTestDatabase();
const provider = createLocalProvider({ ...database, installationId: 'test' });
const { signal } = new AbortController();

let threads = 0;
let running = 0;
let mostAtOnce = 0;
subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker }; // as Node documents this channel
  threads += 1;
  running += 1;
  mostAtOnce = Math.max(mostAtOnce, running);
  worker.once('exit', () => {
    running -= 1;
  });
});

const sentence = (n: number) => `Crane number ${n} of the harbour lifts ${n + 7} tonnes on every weekday.`;
const sections = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ page: n + 1, heading: null, text: sentence(n).repeat(5) }));
const long = { ...textDocument('cranes.txt', 'long'), sections: sections(400) };
const short = { ...textDocument('cranes.txt', 'short'), sections: sections(20) };

let operations = 0;
const tag = () => {
  operations += 1;
  return { teamId: 'team', objectId: 'document', operation: `operation ${operations}` };
};

async function passagesOf(ref: string): Promise<{ ordinal: number; page: number; text: string }[]> {
  const { rows } = await sql<{ ordinal: number; page: number; text: string }>`
    select ordinal, page, text from embedded_provider.passages where document_ref = ${ref} order by ordinal`.execute(
    database.db,
  );
  return rows;
}

test('stores short documents in this thread and long ones in another, with the same result', async () => {
  const before = threads;
  const { ref: shortRef } = await provider.putDocument(tag(), short, signal);
  assert.equal(threads, before);
  const { ref } = await provider.putDocument(tag(), long, signal);
  assert.equal(threads, before + 1);
  assert.equal(await provider.documentStatus(ref, signal), 'ready');
  const [some, all] = [await passagesOf(shortRef), await passagesOf(ref)];
  assert.deepEqual([some.length, all.length], [20, 400]);
  assert.deepEqual(all.slice(0, 20), some);
  assert.deepEqual(
    all.map(({ ordinal, page, text }) => [ordinal, page, text]),
    long.sections.map(({ page, text }, n) => [n, page, text]),
  );
});

test('stores long documents one after another, each once', async () => {
  const same = tag();
  mostAtOnce = running;
  const refs = await Promise.all([
    provider.putDocument(same, long, signal),
    provider.putDocument(same, long, signal),
    provider.putDocument(tag(), long, signal),
  ]);
  assert.equal(refs[0].ref, refs[1].ref);
  assert.notEqual(refs[0].ref, refs[2].ref);
  assert.equal(mostAtOnce, 1);
  assert.equal(running, 0);
});

test('terminates the thread on abort and stores the next document', async (t) => {
  const noTime = new AbortController();
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  // Endless sections: the call ends only when the thread is terminated.
  const sections = (function* () {
    yield* long.sections;
    noTime.abort();
    while (!isOver) yield* long.sections;
  })();
  const given = provider.putDocument(tag(), { ...long, sections }, noTime.signal);
  await assert.rejects(given, { kind: 'transient' });
  await eventually(async () => assert.equal(running, 0));
  const { ref } = await provider.putDocument(tag(), long, signal);
  assert.equal(await provider.documentStatus(ref, signal), 'ready');
});

test('rejects a document that cannot be stored with a provider error', async () => {
  const broken = createLocalProvider({
    ...database,
    databaseUrl: 'postgres://nobody@127.0.0.1:9/nothing',
    installationId: 'test',
  });
  await assert.rejects(broken.putDocument(tag(), long, signal), { kind: 'transient' });
});

test('rejects only the document whose text fails to extract', async () => {
  const sections = (function* () {
    yield* long.sections;
    throw new TypeError('no proper text');
  })();
  await assert.rejects(provider.putDocument(tag(), { ...long, sections }, signal), /no proper text/);
  const { ref } = await provider.putDocument(tag(), long, signal);
  assert.equal(await provider.documentStatus(ref, signal), 'ready');
});
