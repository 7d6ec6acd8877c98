/**
 * The thread that watches over the extraction process, whose main thread may be busy without end. The heap has V8's own
 * limit; buffers outside the heap are limited here, and an orphan does not go on burning a processor.
 */
import { workerData } from 'node:worker_threads';

const everyMs = 20;
const { maxResidentBytes, parent } = workerData as { maxResidentBytes: number; parent: number }; // from extraction-child

setInterval(() => {
  // The signal with which V8 ends a process whose heap is full.
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGABRT');
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, everyMs);
