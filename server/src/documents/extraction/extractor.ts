import type { Logger } from '../../shared/logger.ts';
import { createSemaphore } from '../../shared/semaphore.ts';
import { createStoppingError, type DocumentText, ExtractionError } from './extraction.ts';
import type { DocumentFile, ExtractionLimits } from './extraction-process.ts';
import type { ProcessPool } from './process-pool.ts';
import { createIsolatedReaders } from './readers.ts';

export interface ExtractorOptions {
  concurrency: number;
  /** Default: 16 per concurrent document. */
  maxWaiting?: number;
  /** Resident memory of one process. An empty one uses about 90 MiB. */
  memoryMb: number;
  processorMs: number;
  /** Per document. Default: ten times `processorMs`. */
  wallClockMs?: number;
  /** Default: 64 MiB. */
  maxInflatedBytes?: number;
  startPool?: (limits: ExtractionLimits) => ProcessPool;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface Extractor {
  /** Rejects with `ExtractionError`, which is `overloaded` when the signal aborts. */
  extract(document: DocumentFile, signal?: AbortSignal): Promise<DocumentText>;
  /** Ends all processes. Pending extractions reject with `interrupted`. */
  close(): Promise<void>;
}

const queueErrors = {
  full: () => new ExtractionError('overloaded', 'Too many documents are waiting to be read'),
  timedOut: () => new ExtractionError('overloaded', 'The documents ahead of this one took too long'),
  closed: createStoppingError,
};

/** Extracts text in other processes, so that no document can block or crash this one. */
export function createExtractor(options: ExtractorOptions): Extractor {
  const { concurrency, maxWaiting = concurrency * 16, startPool = createIsolatedReaders, logger } = options;
  const semaphore = createSemaphore({ maxRunning: concurrency, maxWaiting, errors: queueErrors });
  const pool = startPool({
    memoryMb: options.memoryMb,
    processorMs: options.processorMs,
    ...(options.wallClockMs === undefined ? {} : { wallClockMs: options.wallClockMs }),
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
