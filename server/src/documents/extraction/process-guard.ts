/** Thread that limits memory outside the heap and processor time, even while the main thread is busy. */
import { parentPort, workerData } from 'node:worker_threads';

export type GuardMessage = 'begun' | 'done';

const checkIntervalMs = 20;
const { maxResidentBytes, maxProcessorMs, parent } = workerData as {
  maxResidentBytes: number;
  maxProcessorMs: number;
  parent: number;
}; // from extraction-child

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let endsAt = Number.POSITIVE_INFINITY;
parentPort?.on('message', (message: GuardMessage) => {
  endsAt = message === 'begun' ? processorMs() + maxProcessorMs : Number.POSITIVE_INFINITY;
});

setInterval(() => {
  // Like V8 when its heap is full, and like a system that limits processor time.
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGABRT');
  if (processorMs() > endsAt) process.kill(process.pid, 'SIGXCPU');
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs);
