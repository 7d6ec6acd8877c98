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

/** A process that has read a document already, so that its start is behind it. */
async function startReader(processorMs: number) {
  const reader = startReaderWith({ memoryMb: 512, maxInflatedBytes: 2 ** 26, processorMs });
  after(() => reader.end());
  const child = children.at(-1) ?? assert.fail();
  await reader.extract(hello);
  return { reader, child };
}

test('a document is not charged for the time in which others have the processors', {
  skip: !existsSync('/proc/self/stat') && 'this system does not tell what processor time a process has used',
}, async () => {
  const processorMs = 2000;
  const { reader, child } = await startReader(processorMs);
  const usedMs = async () => ((await readCpuTime(child.pid ?? 0)) ?? 0) / 1000;
  const untilUsed = (ms: number) => eventually(async () => assert.ok((await usedMs()) > ms));
  const before = await usedMs();
  const reading = assert.rejects(reader.extract(endless), { reason: 'interrupted' });
  await untilUsed(before + 100);
  child.kill('SIGSTOP');
  const begun = await usedMs();
  await delay(processorMs); // all the time that it may have, by the clock
  child.kill('SIGCONT');
  await untilUsed(begun + 300);
  await reader.end();
  await reading;
});

test('a document for which there is no processor at all is given up in the end', async (t) => {
  const processorMs = 20_000;
  const { reader, child } = await startReader(processorMs);
  child.kill('SIGSTOP');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const given = assert.rejects(reader.extract(hello), { reason: 'overloaded' });
  t.mock.timers.tick(10 * processorMs);
  await given;
});
