import { fileURLToPath } from 'node:url';
import {
  type ExtractionLimits,
  type ExtractionProcess,
  startExtractionProcess,
} from './extraction-process.ts';
import { processPermissions } from './process-permissions.ts';
import { createProcessPool, isFailure, type ProcessPool } from './process-pool.ts';
import { plainLaunch } from './reader-isolation.ts';

/** Limits the damage of a leak, or of a document that took over its reader. */
const maxDocuments = 50;
/** A reader ends itself at its limits, unless it gets no processor time. */
const readerGraceMs = 500;
/** For the start and end of a reader. */
const parentGraceMs = 1_000;

const readingProgram = fileURLToPath(new URL('./extraction-child.ts', import.meta.url));
const startingProgram = fileURLToPath(new URL('./extraction-parent.ts', import.meta.url));

const getTimeoutMs = ({ processorMs, wallClockMs = 10 * processorMs }: ExtractionLimits): number =>
  wallClockMs;

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
    launch: limits.launch ?? plainLaunch,
    maxInflatedBytes: limits.maxInflatedBytes,
    timeoutMs: getTimeoutMs(limits),
    graceMs: readerGraceMs,
    lowPriority: true,
  });

/** Replaces a reader that failed, because it cannot be trusted with the next document. */
export const createReaders = (limits: ExtractionLimits): ProcessPool =>
  createProcessPool({
    start: () => startReader(limits),
    maxDocuments,
    isReusableAfter: (error) => isFailure(error, 'encrypted'),
  });

/** Starts readers through a small process (extraction-parent.ts). */
export const createIsolatedReaders = (limits: ExtractionLimits): ProcessPool =>
  createProcessPool({
    start: () =>
      startExtractionProcess({
        args: [startingProgram, JSON.stringify(limits), String(process.pid)],
        launch: plainLaunch,
        maxInflatedBytes: limits.maxInflatedBytes,
        timeoutMs: getTimeoutMs(limits),
        graceMs: parentGraceMs,
        lowPriority: false,
      }),
    maxDocuments: Number.POSITIVE_INFINITY,
    isReusableAfter: () => true,
  });
