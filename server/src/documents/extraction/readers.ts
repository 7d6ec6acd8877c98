import { fileURLToPath } from 'node:url';
import {
  type ExtractionLimits,
  type ExtractionProcess,
  startExtractionProcess,
} from './extraction-process.ts';
import { processPermissions } from './process-permissions.ts';
import { createProcessPool, isFailure, type ProcessPool } from './process-pool.ts';

/** A reader that leaks, or that a document took over, does not serve for ever. */
const documentsEach = 50;
/** Beyond what a reader has: its start, and that it is told to end. */
const parentsPatienceMs = 10_000;

const readingProgram = fileURLToPath(new URL('./extraction-child.ts', import.meta.url));
const startingProgram = fileURLToPath(new URL('./extraction-parent.ts', import.meta.url));

const giveUpAfterMs = ({
  processorMs,
  wallClockMs: patienceMs = 10 * processorMs,
}: ExtractionLimits): number => patienceMs;

/** A process that reads documents itself. */
export const startReader = (limits: ExtractionLimits): ExtractionProcess =>
  startExtractionProcess({
    args: [
      `--max-old-space-size=${limits.memoryMb}`,
      ...processPermissions,
      readingProgram,
      String(limits.memoryMb),
      String(limits.processorMs),
      String(process.pid),
    ],
    maxInflatedBytes: limits.maxInflatedBytes,
    timeoutMs: giveUpAfterMs(limits),
    lowPriority: true,
  });

/** Processes that read documents: one that has failed on a document is not trusted with the next. */
export const createReaders = (limits: ExtractionLimits): ProcessPool =>
  createProcessPool({
    start: () => startReader(limits),
    documentsEach,
    servesOnAfter: (error) => isFailure(error, 'encrypted'),
  });

/** Readers that are not started by this process, but each by a small one of its own (extraction-parent.ts). */
export const createIsolatedReaders = (limits: ExtractionLimits): ProcessPool =>
  createProcessPool({
    start: () =>
      startExtractionProcess({
        args: [startingProgram, JSON.stringify(limits), String(process.pid)],
        maxInflatedBytes: limits.maxInflatedBytes,
        timeoutMs: giveUpAfterMs(limits) + parentsPatienceMs,
        lowPriority: false,
      }),
    documentsEach: Number.POSITIVE_INFINITY,
    servesOnAfter: () => true,
  });
