import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readCpuTime } from '../../../../bench/rig/cpu-time.ts';
import { makeEndlessPdf } from '../../../test/documents/make-pdf.ts';
import { eventually } from '../../../test/eventually.ts';
import { startReader as startReaderWith } from './readers.ts';

const hello = { type: 'txt', bytes: Buffer.from('Hello') } as const;
const endless = { type: 'pdf', bytes: makeEndlessPdf() } as const;

const children: ChildProcess[] = [];
subscribe('child_process', (message) => {
  children.push((message as { process: ChildProcess }).process); // as Node documents this channel
});

/** Starts a process and waits until it has read a document. */
async function startReader(processorMs: number) {
  const reader = startReaderWith({ memoryMb: 512, maxInflatedBytes: 2 ** 26, processorMs });
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
  t.mock.timers.tick(10 * processorMs);
  await rejected;
});
