/** Thread that limits memory outside the heap and processor time, even while the main thread is busy. */
import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

/** Begins a document, or null ends it. */
export type GuardMessage = { timeoutMs: number } | null;

const checkIntervalMs = 20;
/** About 200 pages of a PDF. A document that takes longer gives way to the others, which are ordinary. */
const ordinaryMs = 1_000;
const { maxResidentBytes, maxProcessorMs, parent } = workerData as {
  maxResidentBytes: number;
  maxProcessorMs: number;
  parent: number;
}; // from extraction-child

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let isLowered = false;
/** Of the main thread only, so that this thread still gets its turns. */
function lowerPriority(): void {
  os.setPriority(process.pid, os.constants.priority.PRIORITY_LOW);
  isLowered = true;
}

const never = Number.POSITIVE_INFINITY;
let startedWith = never;
let endsAt = never;
parentPort?.on('message', (message: GuardMessage) => {
  startedWith = message === null ? never : processorMs();
  endsAt = message === null ? never : performance.now() + message.timeoutMs;
});

setInterval(() => {
  // Like V8 when its heap is full, and like a system that limits processor time.
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGABRT');
  const usedMs = processorMs() - startedWith;
  if (usedMs > ordinaryMs && !isLowered) lowerPriority();
  if (usedMs > maxProcessorMs) process.kill(process.pid, 'SIGXCPU');
  // A document that used half of its processor time takes too long. Otherwise the machine is too busy.
  if (performance.now() > endsAt)
    process.kill(process.pid, usedMs > maxProcessorMs / 2 ? 'SIGXCPU' : 'SIGALRM');
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs);
