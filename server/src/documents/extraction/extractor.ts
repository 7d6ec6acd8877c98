import type { Logger } from '../../shared/logger.ts';
import { createSemaphore } from '../../shared/semaphore.ts';
import { createStoppingError, type DocumentText, ExtractionError } from './extraction.ts';
import type { DocumentFile, ExtractionLimits } from './extraction-process.ts';
import type { ProcessPool } from './process-pool.ts';
import { createIsolatedReaders } from './readers.ts';

export interface ExtractorOptions {
  /** Documents read at the same time, each by a process of its own. */
  concurrency: number;
  /** Documents that may wait for one of those; by default 16 for each. */
  maxWaiting?: number;
  /** Of one process, resident, in MiB; an empty one has about 90. */
  memoryMb: number;
  /** Processor time for one document... */
  processorMs: number;
  /** ...and time by the clock; by default ten times that. */
  patienceMs?: number;
  /** Of the parts of an archive, unpacked; by default 64 MiB. */
  maxInflatedBytes?: number;
  /** The processes; by default readers that are not started by this one. */
  readersWith?: (limits: ExtractionLimits) => ProcessPool;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface Extractor {
  /** The text of a document. Rejects with `ExtractionError`, which is `overloaded` when the signal aborts. */
  extract(document: DocumentFile, signal?: AbortSignal): Promise<DocumentText>;
  /** Ends all processes; what is still being read or waits is `interrupted`. */
  close(): Promise<void>;
}

const queueErrors = {
  full: () => new ExtractionError('overloaded', 'Too many documents are waiting to be read'),
  timedOut: () => new ExtractionError('overloaded', 'The documents ahead of this one took too long'),
  closed: createStoppingError,
};

/** Extracts text in other processes, so that no document can block, crash or fill this one. */
export function createExtractor(options: ExtractorOptions): Extractor {
  const { concurrency, maxWaiting = concurrency * 16, readersWith = createIsolatedReaders, logger } = options;
  const semaphore = createSemaphore({ maxRunning: concurrency, maxWaiting, errors: queueErrors });
  const pool = readersWith({
    memoryMb: options.memoryMb,
    processorMs: options.processorMs,
    ...(options.patienceMs === undefined ? {} : { wallClockMs: options.patienceMs }),
    maxInflatedBytes: options.maxInflatedBytes ?? 64 * 2 ** 20,
  });

  const extractAndLog: Extractor['extract'] = async (document, signal) => {
    const startedAt = performance.now();
    const details = () => ({
      type: document.type,
      bytes: document.bytes.length,
      ms: Math.round(performance.now() - startedAt),
    });
    try {
      const text = await pool.extract(document, signal);
      logger.info({ ...details(), chars: text.chars }, 'document read');
      return text;
    } catch (error) {
      logger.warn({ ...details(), err: error }, 'document not read');
      throw error;
    }
  };

  return {
    extract: (document, signal) => semaphore.run(() => extractAndLog(document, signal), { signal }),
    async close() {
      semaphore.close();
      await pool.close();
    },
  };
}
