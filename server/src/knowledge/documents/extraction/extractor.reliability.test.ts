import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { docxParagraph, makeDocx } from '../../../../test/documents/make-docx.ts';
import { makeEndlessPdf, makePdf, makeSwellingPdf, textLines } from '../../../../test/documents/make-pdf.ts';
import { isRunning } from '../../../../test/is-running.ts';
import type { DocumentFile } from './extraction-process.ts';
import { createExtractor, type Extractor, type ExtractorOptions } from './extractor.ts';
import { processPermissions } from './process-permissions.ts';
import { createReaders } from './readers.ts';

const silent = { info: () => {}, warn: () => {} };
const hello = { type: 'txt', bytes: Buffer.from('Hello') } as const;
const endless = { type: 'pdf', bytes: makeEndlessPdf() } as const;
/** Long enough for a machine that is busy with other tests. */
const wallClockMs = 200_000;
/** No document waits for an earlier one of its team. */
const newTeam = () => ({ teamId: randomUUID(), maxWaitMs: wallClockMs });
const open: Extractor[] = [];
after(() => Promise.all(open.map((extractor) => extractor.close())));

function startExtractor(options: Partial<ExtractorOptions> = {}): Extractor {
  const extractor = createExtractor({
    concurrency: 1,
    memoryMb: 512,
    processorMs: 20_000,
    wallClockMs,
    startPool: createReaders,
    logger: silent,
    ...options,
  });
  open.push(extractor);
  return extractor;
}

const children: ChildProcess[] = [];
subscribe('child_process', (message) => {
  children.push((message as { process: ChildProcess }).process); // as Node documents this channel
});

/** Returns the running extraction processes. */
function processes(): ChildProcess[] {
  return children.filter(
    ({ pid, exitCode, signalCode, spawnargs }) =>
      pid !== undefined &&
      exitCode === null &&
      signalCode === null &&
      spawnargs.some((argument) => argument.endsWith('extraction-child.ts')),
  );
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

describe('extracting text', () => {
  it('reads all four types', async () => {
    const extractor = startExtractor();
    const sections = async (file: DocumentFile) => [...(await extractor.extract(file, newTeam())).sections];
    const doc = readFileSync(new URL('../../../../test/fixtures/documents/letter.doc', import.meta.url));
    assert.equal((await sections({ type: 'doc', bytes: doc }))[1]?.heading, 'RETURNS');
    const docx = makeDocx(docxParagraph('Hello'));
    assert.equal((await sections({ type: 'docx', bytes: docx }))[0]?.text, 'Hello');
    const pdf = await makePdf([textLines(['Hello'])]);
    assert.equal((await sections({ type: 'pdf', bytes: pdf }))[0]?.page, 1);
    assert.deepEqual((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });

  it('returns a text of many megabytes', async () => {
    const extractor = startExtractor();
    const bytes = Buffer.from('Hello world. '.repeat(1_000_000));
    const { chars, sections } = await extractor.extract({ type: 'txt', bytes }, newTeam());
    assert.equal(chars, bytes.length);
    const pieces = [...sections].map(({ text }) => text);
    assert.equal(pieces.join(' '), bytes.toString().trim());
    assert.ok(Math.max(...pieces.map(({ length }) => length)) < 50_000);
    await extractor.close();
  });

  it('distinguishes unreadable and encrypted documents', async () => {
    const extractor = startExtractor();
    const encrypted = readFileSync(
      new URL('../../../../test/fixtures/documents/encrypted.pdf', import.meta.url),
    );
    await assert.rejects(extractor.extract({ type: 'pdf', bytes: encrypted }, newTeam()), {
      reason: 'encrypted',
    });
    for (const type of ['pdf', 'docx', 'doc'] as const) {
      await assert.rejects(extractor.extract({ type, bytes: Buffer.from('garbage') }, newTeam()), {
        reason: 'unreadable',
      });
    }
    await extractor.close();
  });

  it('stops a document at its processor time limit without blocking this process', async () => {
    const processorMs = 2000;
    const extractor = startExtractor({ processorMs });
    const before = process.cpuUsage();
    await assert.rejects(extractor.extract(endless, newTeam()), { reason: 'timeout' });
    // Reading the document in this process would take all of that time.
    const own = process.cpuUsage(before);
    assert.ok((own.user + own.system) / 1000 < processorMs / 2, JSON.stringify(own));
    assert.equal((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });

  it('gives up on a document at its wall clock limit', async () => {
    const extractor = startExtractor({ wallClockMs: 300 });
    await assert.rejects(extractor.extract(endless, newTeam()), { reason: 'overloaded' });
    await waitUntil(() => processes().length === 0);
    await extractor.close();
  });

  it('stops a document that fills the heap', async () => {
    const extractor = startExtractor({ memoryMb: 128 });
    const bytes = makeDocx(docxParagraph('Hi').repeat(700_000));
    await assert.rejects(extractor.extract({ type: 'docx', bytes }, newTeam()), { reason: 'too_large' });
    assert.equal((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });

  it('reads a docx of 50,000 words whose XML is a hundred times longer', async () => {
    const extractor = startExtractor();
    const run = `<w:r><w:rPr>${'<w:lang w:val="en-GB"/>'.repeat(10)}</w:rPr><w:t xml:space="preserve">word </w:t></w:r>`;
    const bytes = makeDocx(`<w:p>${run.repeat(50)}</w:p>`.repeat(1000));
    const { chars } = await extractor.extract({ type: 'docx', bytes }, newTeam());
    assert.equal(chars, 1000 * (50 * 5 - 1) + 999 * 2);
    await extractor.close();
  });

  it('stops a document that fills memory outside the heap', async () => {
    const extractor = startExtractor({ memoryMb: 128 });
    const bytes = makeSwellingPdf(deflateSync(deflateSync(Buffer.alloc(200 * 2 ** 20), { level: 1 })));
    await assert.rejects(extractor.extract({ type: 'pdf', bytes }, newTeam()), { reason: 'too_large' });
    await extractor.close();
  });

  it('reads a text of the maximum size without blank lines', async () => {
    const extractor = startExtractor({ processorMs: 120_000 });
    const line = 'The opening hours are nine to five on every day but Sunday\n';
    const bytes = Buffer.from(line.repeat((20 * 2 ** 20) / line.length));
    assert.equal((await extractor.extract({ type: 'txt', bytes }, newTeam())).chars, bytes.length);
    await extractor.close();
  });

  it('gives up on a running or waiting document when its caller aborts', async () => {
    const extractor = startExtractor();
    const abort = new AbortController();
    const aborted = [endless, hello].map((document) =>
      assert.rejects(extractor.extract(document, { ...newTeam(), signal: abort.signal }), {
        reason: 'overloaded',
      }),
    );
    await waitUntil(() => processes().length === 1);
    abort.abort();
    await Promise.all(aborted);
    await assert.rejects(extractor.extract(hello, { ...newTeam(), signal: abort.signal }), {
      reason: 'overloaded',
    });
    assert.equal((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });

  it('tries once more when its process is killed, then reports an interruption, and reads the next document', async () => {
    const extractor = startExtractor();
    const reading = assert.rejects(extractor.extract(endless, newTeam()), { reason: 'interrupted' });
    await waitUntil(() => processes().length === 1);
    const [first] = processes();
    first?.kill('SIGKILL');
    await waitUntil(() => processes().length === 1 && processes()[0] !== first);
    for (const child of processes()) child.kill('SIGKILL');
    await reading;
    assert.equal((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });

  it('tolerates that an idle process is being killed', async () => {
    const extractor = startExtractor();
    await extractor.extract(hello, newTeam());
    for (const child of processes()) child.kill('SIGKILL');
    assert.equal((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });

  it('tolerates that an idle process was killed earlier', async () => {
    const extractor = startExtractor();
    await extractor.extract(hello, newTeam());
    for (const child of processes()) child.kill('SIGKILL');
    await waitUntil(() => processes().length === 0);
    assert.equal((await extractor.extract(hello, newTeam())).chars, 5);
    await extractor.close();
  });
});

describe('extraction processes', () => {
  it('read the first document after a warm-up', async () => {
    const extractor = startExtractor();
    await extractor.warmUp();
    const warm = processes();
    assert.equal(warm.length, 1);
    await extractor.extract(hello, newTeam());
    assert.deepEqual(processes(), warm);
    await extractor.close();
  });

  it('are reused, and replaced after a failure', async () => {
    const extractor = startExtractor();
    await extractor.extract(hello, newTeam());
    const first = processes();
    await extractor.extract(hello, newTeam());
    assert.deepEqual(processes(), first);
    await assert.rejects(extractor.extract({ type: 'pdf', bytes: Buffer.from('garbage') }, newTeam()));
    await extractor.extract(hello, newTeam());
    assert.notDeepEqual(processes(), first);
    await extractor.close();
  });

  it('are replaced after fifty documents', async () => {
    const extractor = startExtractor();
    const seen = new Set<ChildProcess | undefined>();
    for (let document = 0; document < 51; document += 1) {
      await extractor.extract(hello, newTeam());
      if (document % 49 === 0 || document === 50) seen.add(processes()[0]);
    }
    assert.ok(seen.size >= 2);
    await extractor.close();
  });

  it('are limited in number, and documents beyond the queue are rejected', async () => {
    const extractor = startExtractor({ concurrency: 2, maxWaitingPerTeam: 3, processorMs: 2000 });
    const reading = Array.from({ length: 2 }, () =>
      assert.rejects(extractor.extract(endless, newTeam()), { reason: 'timeout' }),
    );
    const team = newTeam();
    const waiting = Array.from({ length: 3 }, () => extractor.extract(hello, team));
    await assert.rejects(extractor.extract(hello, team), { reason: 'overloaded' });
    assert.equal(processes().length, 2);
    await Promise.all(reading);
    assert.deepEqual(
      (await Promise.all(waiting)).map((text) => text.chars),
      [5, 5, 5],
    );
    assert.ok(processes().length <= 2);
    await extractor.close();
  });

  it('end when the extractor closes, and interrupt their documents', async () => {
    const extractor = startExtractor();
    const reading = assert.rejects(extractor.extract(endless, newTeam()), { reason: 'interrupted' });
    const waiting = assert.rejects(extractor.extract(hello, newTeam()), { reason: 'interrupted' });
    await extractor.close();
    await Promise.all([reading, waiting]);
    assert.deepEqual(processes(), []);
    await assert.rejects(extractor.extract(hello, newTeam()), { reason: 'interrupted' });
  });

  it('do not outlive the server, however busy they are', async () => {
    const extractor = new URL('./extractor.ts', import.meta.url).href;
    const readers = new URL('./readers.ts', import.meta.url).href;
    const documents = new URL('../../../../test/documents/make-pdf.ts', import.meta.url).href;
    const server = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { createExtractor } from ${JSON.stringify(extractor)};
       import { createReaders } from ${JSON.stringify(readers)};
       import { makeEndlessPdf } from ${JSON.stringify(documents)};
       import { subscribe } from 'node:diagnostics_channel';
       import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
       let child;
       subscribe('child_process', (message) => { child = message.process; });
       const logger = { info() {}, warn() {} };
       const options = { concurrency: 1, memoryMb: 512, processorMs: 60_000, startPool: createReaders, logger };
       const reader = createExtractor(options);
       await reader.extract({ type: 'txt', bytes: Buffer.from('Hello') }, { teamId: 'a' });
       const pdf = makeEndlessPdf();
       reader.extract({ type: 'pdf', bytes: pdf }, { teamId: 'b' });
       while (child.stdin.bytesWritten < pdf.length || child.stdin.writableLength > 0) await yieldToEventLoop();
       console.log(child.pid);`,
    ]);
    const [line] = await once(server.stdout, 'data');
    const pid = Number(line);
    assert.equal(isRunning(pid), true);
    server.kill('SIGKILL');
    await waitUntil(() => !isRunning(pid));
  });

  it('cannot read other files, write files or start processes', () => {
    const attempts = {
      read: "fs.readFileSync('/etc/hosts')",
      write: "fs.writeFileSync('/tmp/parley-escape', 'x')",
      start: "child_process.execSync('true')",
    };
    for (const [name, code] of Object.entries(attempts)) {
      const { stderr, status } = spawnSync(process.execPath, [...processPermissions, '-e', code], {
        encoding: 'utf8',
      });
      assert.notEqual(status, 0, name);
      assert.match(stderr, /ERR_ACCESS_DENIED/, name);
    }
  });
});
