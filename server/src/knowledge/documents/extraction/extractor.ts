import type { Logger } from '../../../platform/shared/logger.ts';
import { createSemaphore } from '../../../platform/shared/semaphore.ts';
import { createStoppingError, type DocumentText, ExtractionError } from './extraction.ts';
import type { DocumentFile, ExtractionLimits } from './extraction-process.ts';
import { isFailure, type ProcessPool } from './process-pool.ts';
import { plainLaunch, type ReaderLaunch } from './reader-isolation.ts';
import { createIsolatedReaders } from './readers.ts';
import { createWastedTime } from './wasted-time.ts';

export interface ExtractorOptions {
  /** Zero refuses all documents. */
  concurrency: number;
  /** Resident memory of one process. An empty one uses about 90 MiB. */
  memoryMb: number;
  processorMs: number;
  /** Per document. Default: ten times `processorMs`. */
  wallClockMs?: number;
  /** Default: 64 MiB. */
  maxInflatedBytes?: number;
  /** Waiting documents of one team. */
  maxWaitingPerTeam?: number;
  /** Called before the first document is read. Default: without isolation from the system, for tests. */
  findLaunch?: () => Promise<ReaderLaunch>;
  startPool?: (limits: ExtractionLimits) => ProcessPool;
  logger: Pick<Logger, 'info' | 'warn'>;
}

interface ExtractOptions {
  /** Each team has its own queue and one reader at a time. Teams take turns. */
  teamId: string;
  /** Default: 10 s. */
  maxWaitMs?: number;
  /** For waiting and reading together. */
  deadlineMs?: number;
  signal?: AbortSignal;
}

export interface Extractor {
  /** Starts a reader before the first document needs it. Logs a failure. */
  warmUp(): Promise<void>;
  /** Rejects with `ExtractionError`, which is `overloaded` when the signal aborts. */
  extract(document: DocumentFile, options: ExtractOptions): Promise<DocumentText>;
  /** Ends all processes. Pending extractions reject with `interrupted`. */
  close(): Promise<void>;
}

/**
 * An idle extraction process takes about 90 MiB, and 144 MiB after PDFs. 600 pages take about 3 s. With two readers, at
 * low priority, no single team can keep all of them busy.
 */
export const extractionLimits = {
  concurrency: 2,
  memoryMb: 512,
  processorMs: 10_000,
};

/** Per team half of the memory that uploads may take (documents.routes.ts). */
const perTeam = { maxRunning: 1, maxWaiting: 64, maxWaitingWeight: 64 * 2 ** 20 };
const maxWaiting = 512;
const defaultWaitMs = 10_000;

const queueErrors = {
  full: () => new ExtractionError('overloaded', 'Too many documents are waiting to be read'),
  timedOut: () => new ExtractionError('overloaded', 'The documents ahead of this one took too long'),
  closed: createStoppingError,
};

/** Extracts text in other processes, so that no document can block or crash this one. */
export function createExtractor(options: ExtractorOptions): Extractor {
  const { concurrency, maxWaitingPerTeam = perTeam.maxWaiting, logger } = options;
  const { startPool = createIsolatedReaders, findLaunch = async () => plainLaunch } = options;
  const wasted = createWastedTime({ readers: concurrency });
  const semaphore = createSemaphore({
    maxRunning: concurrency,
    maxWaiting,
    perGroup: { ...perTeam, maxWaiting: maxWaitingPerTeam },
    getDelayMs: wasted.getDelayMs,
    errors: queueErrors,
  });
  let pool: Promise<ProcessPool> | undefined;
  let closed = false;
  const getPool = (): Promise<ProcessPool> => {
    if (closed) throw createStoppingError();
    pool ??= openPool();
    return pool;
  };
  const openPool = async (): Promise<ProcessPool> =>
    startPool({
      memoryMb: options.memoryMb,
      processorMs: options.processorMs,
      ...(options.wallClockMs === undefined ? {} : { wallClockMs: options.wallClockMs }),
      maxInflatedBytes: options.maxInflatedBytes ?? 64 * 2 ** 20,
      launch: await findLaunch(),
    });

  const extractAndLog = async (
    document: DocumentFile,
    { teamId, signal }: ExtractOptions,
    timeoutMs: number | undefined,
  ): Promise<DocumentText> => {
    const startedAt = performance.now();
    const getMs = () => Math.round(performance.now() - startedAt);
    const { type, bytes } = document;
    try {
      const text = await (await getPool()).extract(document, { timeoutMs, signal });
      logger.info({ teamId, type, bytes: bytes.length, ms: getMs(), chars: text.chars }, 'document read');
      return text;
    } catch (error) {
      if (!isFailure(error, 'interrupted')) wasted.add(teamId, Math.min(getMs(), options.processorMs));
      logger.warn({ teamId, type, bytes: bytes.length, ms: getMs(), err: error }, 'document not read');
      throw error;
    }
  };

  return {
    async warmUp() {
      if (concurrency === 0) return;
      try {
        await (await getPool()).extract({ type: 'txt', bytes: Buffer.from('Hello') });
      } catch (error) {
        if (!closed) logger.warn({ err: error }, 'the first document reader failed');
      }
    },
    async extract(document, extractOptions) {
      if (concurrency === 0) throw createNoMemoryError();
      const { teamId, maxWaitMs = defaultWaitMs, deadlineMs, signal } = extractOptions;
      const delayMs = wasted.getDelayMs(teamId, []);
      if (delayMs > maxWaitMs) throw createPenaltyError(delayMs);
      const endsAt = performance.now() + (deadlineMs ?? Number.POSITIVE_INFINITY);
      const readOnce = () => {
        const leftMs = Math.max(0, endsAt - performance.now());
        return extractAndLog(document, extractOptions, deadlineMs === undefined ? undefined : leftMs);
      };
      // The system may have killed the reader because memory was short elsewhere.
      const read = () =>
        readOnce().catch((error: unknown) => {
          if (closed || !isFailure(error, 'interrupted')) throw error;
          return readOnce();
        });
      return semaphore.run(read, { group: teamId, weight: document.bytes.length, maxWaitMs, signal });
    },
    async close() {
      closed = true;
      semaphore.close();
      await (await pool)?.close();
    },
  };
}

const createPenaltyError = (delayMs: number): ExtractionError =>
  new ExtractionError('overloaded', 'Earlier documents of this team took too long to read', {
    retryAfterSeconds: Math.ceil(delayMs / 1000),
  });

const createNoMemoryError = (): ExtractionError =>
  new ExtractionError('overloaded', 'This server has too little memory to read documents', {
    retryAfterSeconds: 60,
  });
