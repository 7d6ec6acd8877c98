import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { connectTestDatabase } from '../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider/assistant-provider.contract.ts';
import { createLocalProvider } from '../assistant-provider/local/local-provider.ts';

const database = await connectTestDatabase();
const provider = createLocalProvider({ ...database, installationId: 'test' });
const { signal } = new AbortController();

const sentence = (n: number) => `Crane number ${n} of the harbour lifts ${n + 7} tonnes on every weekday.`;
const sections = Array.from({ length: 400 }, (_, n) => ({
  page: n + 1,
  heading: null,
  text: sentence(n).repeat(5),
}));
const long = { ...textDocument('cranes.txt', 'long'), sections };

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

test('stores the passages of a long document in order', async () => {
  const { ref } = await provider.putDocument(tag(), long, signal);
  assert.equal(await provider.documentStatus(ref, signal), 'ready');
  assert.deepEqual(
    (await passagesOf(ref)).map(({ ordinal, page, text }) => [ordinal, page, text]),
    long.sections.map(({ page, text }, n) => [n, page, text]),
  );
});

test('stores a long text without spaces, whose characters have two code units each', async () => {
  const text = `A${'😀'.repeat(2_000)}`;
  const emojis = { ...textDocument('emojis.txt', text), sections: [{ page: 1, heading: null, text }] };
  const { ref } = await provider.putDocument(tag(), emojis, signal);
  assert.equal((await passagesOf(ref)).map((passage) => passage.text).join(''), text);
});

test('stores the same document once, also at the same time', async () => {
  const same = tag();
  const refs = await Promise.all([
    provider.putDocument(same, long, signal),
    provider.putDocument(same, long, signal),
    provider.putDocument(tag(), long, signal),
  ]);
  assert.equal(refs[0].ref, refs[1].ref);
  assert.notEqual(refs[0].ref, refs[2].ref);
  assert.equal((await passagesOf(refs[0].ref)).length, long.sections.length);
});

test('stops at an abort and stores the next documents', async () => {
  const noTime = new AbortController();
  // Endless sections: the call ends only when it is aborted.
  let taken = 0;
  const endless = (function* () {
    for (; ; taken += 1) {
      yield* long.sections;
      noTime.abort();
    }
  })();
  const given = provider.putDocument(tag(), { ...long, sections: endless }, noTime.signal);
  await assert.rejects(given, { kind: 'transient' });
  await provider.putDocument(tag(), long, signal);
  const before = taken;
  const { ref } = await provider.putDocument(tag(), long, signal);
  assert.equal(await provider.documentStatus(ref, signal), 'ready');
  assert.equal(taken, before);
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
