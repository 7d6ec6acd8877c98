import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readCpuTime } from '../../../../../bench/rig/cpu-time.ts';
import { makeEndlessPdf } from '../../../../test/documents/make-pdf.ts';
import { eventually } from '../../../../test/eventually.ts';
import { findReaderLaunch } from './reader-isolation.ts';
import { createReaders, startReader as startReaderWith } from './readers.ts';

const hello = { type: 'txt', bytes: Buffer.from('Hello') } as const;
const endless = { type: 'pdf', bytes: makeEndlessPdf() } as const;

const children: ChildProcess[] = [];
subscribe('child_process', (message) => {
  const { process } = message as { process: ChildProcess }; // as Node documents this channel
  if (process.spawnfile !== 'chrt') children.push(process);
});

const limits = { memoryMb: 512, maxInflatedBytes: 2 ** 26 };

/** Starts a process and waits until it has read a document. */
async function startReader(processorMs: number) {
  const reader = startReaderWith({ ...limits, processorMs });
  after(() => reader.end());
  const child = children.at(-1) ?? assert.fail();
  await reader.extract(hello);
  return { reader, child };
}

test('does not count the time in which other processes use the processors', {
  skip: !existsSync('/proc/self/stat') && 'this system does not report the processor time of processes',
}, async () => {
  const processorMs = 2000;
  const { reader, child } = await startReader(processorMs);
  const usedMs = async () => ((await readCpuTime(child.pid ?? 0)) ?? 0) / 1000;
  const untilUsed = (ms: number) => eventually(async () => assert.ok((await usedMs()) > ms));
  const before = await usedMs();
  const reading = assert.rejects(reader.extract(endless), { reason: 'interrupted' });
  await untilUsed(before + 100);
  child.kill('SIGSTOP');
  const usedBefore = await usedMs();
  await delay(processorMs); // its whole processor time limit, by the clock
  child.kill('SIGCONT');
  await untilUsed(usedBefore + 300);
  await reader.end();
  await reading;
});

test('gives up on a document that never gets a processor', async (t) => {
  const processorMs = 20_000;
  const { reader, child } = await startReader(processorMs);
  child.kill('SIGSTOP');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rejected = assert.rejects(reader.extract(hello), { reason: 'overloaded' });
  t.mock.timers.tick(11 * processorMs);
  await rejected;
});

/** Takes longer than an ordinary document may, also on a fast machine, but has a text. */
const long = { type: 'txt', bytes: Buffer.alloc(28 * 2 ** 20, 'All work and no play.\n') } as const;

test('gives a document that takes long the lowest priority, and does not reuse its reader', async () => {
  const launch = await findReaderLaunch({ info: () => {}, warn: () => {} });
  const readers = createReaders({ ...limits, launch, processorMs: 120_000, wallClockMs: 600_000 });
  after(() => readers.close());
  await readers.extract(hello);
  const { pid: first = 0 } = children.at(-1) ?? assert.fail();
  const ordinary = os.getPriority(first);
  assert.ok(ordinary < os.constants.priority.PRIORITY_LOW);
  await readers.extract(hello);
  assert.equal(children.at(-1)?.pid, first, 'an ordinary document leaves the reader as it is');
  await Promise.all([
    readers.extract(long),
    eventually(async () => assert.equal(os.getPriority(first), os.constants.priority.PRIORITY_LOW), 60_000),
  ]);
  await readers.extract(hello);
  const { pid: second = 0 } = children.at(-1) ?? assert.fail();
  assert.notEqual(second, first);
  assert.equal(os.getPriority(second), ordinary);
});

const idlePolicy = 5;
/** Of the main thread. Null if this system does not tell. */
function readPolicy(pid: number): number | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  const stat = readFileSync(path, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
}

test('a document that takes long gives way to every other process at once', {
  skip:
    (readPolicy(process.pid) === null || spawnSync('chrt', ['-m']).status !== 0) &&
    'this system has no idle policy',
}, async () => {
  const readers = createReaders({ ...limits, processorMs: 60_000 });
  await readers.extract(hello);
  const { pid = 0 } = children.at(-1) ?? assert.fail();
  assert.notEqual(readPolicy(pid), idlePolicy);
  const reading = assert.rejects(readers.extract(endless), { reason: 'interrupted' });
  await eventually(async () => assert.equal(readPolicy(pid), idlePolicy), 60_000);
  await readers.close();
  await reading;
});
