/**
 * The thread that watches over the extraction process, whose main thread may be busy without end. The heap has V8's own
 * limit; buffers outside the heap and processor time are limited here, and an orphan does not go on burning a processor.
 */
import { parentPort, workerData } from 'node:worker_threads';

/** What the main thread tells of a document. */
export type GuardMessage = 'begun' | 'done';

const everyMs = 20;
const { maxResidentBytes, maxProcessorMs, parent } = workerData as {
  maxResidentBytes: number;
  maxProcessorMs: number;
  parent: number;
}; // from extraction-child

/** Of the whole process, since it began. */
const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let endsAt = Number.POSITIVE_INFINITY;
parentPort?.on('message', (word: GuardMessage) => {
  endsAt = word === 'begun' ? processorMs() + maxProcessorMs : Number.POSITIVE_INFINITY;
});

setInterval(() => {
  // The signals with which V8 ends a process whose heap is full, and a system one that has had its processor time.
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGABRT');
  if (processorMs() > endsAt) process.kill(process.pid, 'SIGXCPU');
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, everyMs);
