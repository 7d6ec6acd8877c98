import type { Logger } from '../../shared/logger.ts';
import type { DocumentType } from '../document-type.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import {
  type ExtractionLimits,
  type ExtractionProcess,
  startExtractionProcess,
} from './extraction-process.ts';

/** A reader that leaks, or that a document took over, does not serve for ever. */
const documentsPerProcess = 50;

export interface ExtractorOptions {
  /** Documents read at the same time, each by a process of its own. */
  concurrency: number;
  /** Documents that may wait for one of those; by default 16 for each. */
  maxWaiting?: number;
  /** Of one process, resident, in MiB; an empty one has about 90. */
  memoryMb: number;
  /** For one document, waiting not included. */
  timeoutMs: number;
  /** Of the parts of an archive, unpacked; by default 64 MiB. */
  maxInflatedBytes?: number;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export interface DocumentFile {
  type: DocumentType;
  bytes: Uint8Array;
}

export interface Extractor {
  /** The text of a document. Rejects with `ExtractionError`. */
  extract(document: DocumentFile): Promise<ExtractedText>;
  /** Ends all processes; what is still being read or waits is `interrupted`. */
  close(): Promise<void>;
}

/**
 * Extracts text outside this process, which no document can then block, crash or fill. Processes stay warm from one
 * document to the next; one that failed on its document, or has read enough of them, is replaced.
 */
export function createExtractor(options: ExtractorOptions): Extractor {
  const { concurrency, maxWaiting = concurrency * 16, maxInflatedBytes = 64 * 2 ** 20, logger } = options;
  const limits: ExtractionLimits = {
    memoryMb: options.memoryMb,
    timeoutMs: options.timeoutMs,
    maxInflatedBytes,
  };
  const served = new Map<ExtractionProcess, number>();
  const idle: ExtractionProcess[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  let busy = 0;
  let closed = false;

  const enter = async (): Promise<void> => {
    if (closed) throw closing();
    if (busy < concurrency) {
      busy += 1;
      return;
    }
    if (waiting.length >= maxWaiting)
      throw new ExtractionError('overloaded', 'Too many documents wait to be read');
    const turn = Promise.withResolvers<void>();
    waiting.push(turn);
    await turn.promise;
  };

  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next.resolve();
  };

  const idleProcess = (): ExtractionProcess | undefined => {
    let process = idle.pop();
    for (; process !== undefined && !process.alive; process = idle.pop()) served.delete(process);
    return process;
  };

  const newProcess = (): ExtractionProcess => {
    if (closed) throw closing();
    const started = startExtractionProcess(limits);
    served.set(started, 0);
    return started;
  };

  const dismiss = async (process: ExtractionProcess): Promise<void> => {
    served.delete(process);
    await process.end();
  };

  const extractWith = async (process: ExtractionProcess, document: DocumentFile): Promise<ExtractedText> => {
    const count = (served.get(process) ?? 0) + 1;
    served.set(process, count);
    let reusable = false;
    try {
      const text = await process.extract(document);
      reusable = true;
      return text;
    } catch (error) {
      reusable = error instanceof ExtractionError && error.reason === 'encrypted';
      throw error;
    } finally {
      if (reusable && count < documentsPerProcess && !closed) idle.push(process);
      else await dismiss(process);
    }
  };

  /** A warm process may have died unnoticed a moment ago, through no fault of this document: then a new one reads it. */
  const extractAnyhow = async (document: DocumentFile): Promise<ExtractedText> => {
    const warm = idleProcess();
    if (warm === undefined) return extractWith(newProcess(), document);
    try {
      return await extractWith(warm, document);
    } catch (error) {
      if (!(error instanceof ExtractionError && error.reason === 'interrupted')) throw error;
      return extractWith(newProcess(), document);
    }
  };

  return {
    async extract(document) {
      await enter();
      const startedAt = performance.now();
      const facts = { type: document.type, bytes: document.bytes.length };
      try {
        const text = await extractAnyhow(document);
        logger.info(
          { ...facts, chars: text.chars, ms: Math.round(performance.now() - startedAt) },
          'document read',
        );
        return text;
      } catch (error) {
        logger.warn(
          { ...facts, err: error, ms: Math.round(performance.now() - startedAt) },
          'document not read',
        );
        throw closed ? closing() : error;
      } finally {
        leave();
      }
    },
    async close() {
      closed = true;
      for (const turn of waiting.splice(0)) turn.reject(closing());
      await Promise.all([...served.keys()].map(dismiss));
    },
  };
}

const closing = (): ExtractionError => new ExtractionError('interrupted', 'The server is stopping');
