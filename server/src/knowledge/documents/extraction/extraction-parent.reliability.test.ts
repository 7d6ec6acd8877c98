import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { childrenOf } from '../../../../../bench/rig/resident-memory.ts';
import { makeDocx } from '../../../../test/documents/make-docx.ts';
import { makeEndlessPdf } from '../../../../test/documents/make-pdf.ts';
import { bombPart } from '../../../../test/documents/make-zip.ts';
import { eventually } from '../../../../test/eventually.ts';
import { isRunning } from '../../../../test/is-running.ts';
import type { ExtractionLimits } from './extraction-process.ts';
import { createIsolatedReaders } from './readers.ts';

const limits: ExtractionLimits = {
  memoryMb: 512,
  maxInflatedBytes: 2 ** 26,
  processorMs: 2000,
  wallClockMs: 200_000,
};
const hello = { type: 'txt', bytes: Buffer.from('Hello') } as const;
const endless = { type: 'pdf', bytes: makeEndlessPdf() } as const;
const linux = {
  skip: !existsSync('/proc/self/stat') && 'this system does not list the children of a process',
};

/** Processes that this process started. */
const started: ChildProcess[] = [];
subscribe('child_process', (message) => {
  started.push((message as { process: ChildProcess }).process); // as Node documents this channel
});
/** Waits long, because a reader starts at the lowest priority. */
const findReaderOf = (pid: number): Promise<number> =>
  eventually(async () => (await childrenOf(pid))[0] ?? assert.fail('no reader yet'), 60_000);
const newest = (): ChildProcess => started.at(-1) ?? assert.fail('nothing was started');

function startIsolatedReaders() {
  const readers = createIsolatedReaders(limits);
  after(() => readers.close());
  return readers;
}

test('reports the reason of each failure without starting another process from this one', async () => {
  const readers = startIsolatedReaders();
  const before = started.length;
  const text = await readers.extract(hello);
  assert.deepEqual([text.chars, [...text.sections].map((section) => section.text)], [5, ['Hello']]);
  const encrypted = readFileSync(
    new URL('../../../../test/fixtures/documents/encrypted.pdf', import.meta.url),
  );
  const failing = [
    [{ type: 'pdf', bytes: encrypted }, 'encrypted'],
    [{ type: 'doc', bytes: Buffer.from('garbage') }, 'unreadable'],
    [endless, 'timeout'],
    [{ type: 'docx', bytes: makeDocx('', [bombPart('word/extra.xml', 128)]) }, 'too_large'],
  ] as const;
  for (const [document, reason] of failing) {
    await assert.rejects(readers.extract(document), { reason });
    assert.equal((await readers.extract(hello)).chars, 5);
  }
  assert.equal(started.length - before, 1);
});

test('returns a text of many megabytes completely', async () => {
  const bytes = Buffer.from('Hello world. '.repeat(300_000));
  const { chars, sections } = await startIsolatedReaders().extract({ type: 'txt', bytes });
  assert.equal(chars, bytes.length);
  assert.equal([...sections].map(({ text }) => text).join(' '), bytes.toString().trim());
});

test('gives up on a document when its caller aborts, and reads the next one', async () => {
  const readers = startIsolatedReaders();
  await readers.extract(hello);
  const abort = new AbortController();
  const aborted = assert.rejects(readers.extract(endless, { signal: abort.signal }), {
    reason: 'overloaded',
  });
  abort.abort();
  await aborted;
  assert.equal((await readers.extract(hello)).chars, 5);
});

test(
  'interrupts or retries documents and ends the readers when the parent process is killed',
  linux,
  async () => {
    const readers = startIsolatedReaders();
    const reading = assert.rejects(readers.extract(endless), { reason: 'interrupted' });
    const { pid = 0 } = newest();
    const reader = await findReaderOf(pid);
    newest().kill('SIGKILL');
    await reading;
    await eventually(async () => assert.equal(isRunning(reader), false));
    assert.equal((await readers.extract(hello)).chars, 5);
    newest().kill('SIGKILL');
    assert.equal((await readers.extract(hello)).chars, 5);
  },
);

test('the parent process and busy readers end with the server', linux, async () => {
  const address = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const server = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { subscribe } from 'node:diagnostics_channel';
     import { createIsolatedReaders } from ${address('./readers.ts')};
     import { makeEndlessPdf } from ${address('../../../../test/documents/make-pdf.ts')};
     subscribe('child_process', ({ process: child }) => setImmediate(() => console.log(child.pid)));
     const limits = ${JSON.stringify({ ...limits, processorMs: 60_000 })};
     await createIsolatedReaders(limits).extract({ type: 'pdf', bytes: makeEndlessPdf() });`,
  ]);
  const [line] = await once(server.stdout, 'data');
  const pid = Number(line);
  const reader = await findReaderOf(pid);
  server.kill('SIGKILL');
  for (const one of [pid, reader]) await eventually(async () => assert.equal(isRunning(one), false));
});
