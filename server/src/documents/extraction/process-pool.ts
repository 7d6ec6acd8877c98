import { createStoppingError, type DocumentText, ExtractionError } from './extraction.ts';
import type { DocumentFile, ExtractionProcess } from './extraction-process.ts';

export interface ProcessPool {
  /** Rejects with `ExtractionError`. */
  extract(document: DocumentFile, signal?: AbortSignal): Promise<DocumentText>;
  /** Ends all processes, busy ones too. */
  close(): Promise<void>;
}

export interface PooledProcesses {
  start(): ExtractionProcess;
  /** One that has read so many is ended. */
  documentsEach: number;
  /** Whether one serves on after it has failed by this. */
  servesOnAfter(error: unknown): boolean;
}

/**
 * Extraction processes that stay warm from one document to the next. How many run is up to the caller: each document under
 * way has one.
 */
export function createProcessPool(processes: PooledProcesses): ProcessPool {
  const documentsRead = new Map<ExtractionProcess, number>();
  const idle: ExtractionProcess[] = [];
  let closed = false;

  const idleProcess = (): ExtractionProcess | undefined => {
    let found = idle.pop();
    for (; found !== undefined && !found.alive; found = idle.pop()) documentsRead.delete(found);
    return found;
  };

  const newProcess = (): ExtractionProcess => {
    if (closed) throw createStoppingError();
    const started = processes.start();
    documentsRead.set(started, 0);
    return started;
  };

  const putBack = async (process: ExtractionProcess, reusable: boolean): Promise<void> => {
    const count = (documentsRead.get(process) ?? 0) + 1;
    documentsRead.set(process, count);
    if (reusable && count < processes.documentsEach && !closed) {
      idle.push(process);
      return;
    }
    documentsRead.delete(process);
    await process.end();
  };

  const extractWith = async (
    process: ExtractionProcess,
    document: DocumentFile,
    signal: AbortSignal | undefined,
  ): Promise<DocumentText> => {
    try {
      const text = await process.extract(document, signal);
      await putBack(process, true);
      return text;
    } catch (error) {
      await putBack(process, processes.servesOnAfter(error));
      throw error;
    }
  };

  return {
    async extract(document, signal) {
      const warm = idleProcess();
      if (warm === undefined) return extractWith(newProcess(), document, signal);
      try {
        return await extractWith(warm, document, signal);
      } catch (error) {
        if (!isFailure(error, 'interrupted')) throw error;
        // It may have died unnoticed a moment ago, through no fault of this document.
        return extractWith(newProcess(), document, signal);
      }
    },
    async close() {
      closed = true;
      await Promise.all([...documentsRead.keys()].map((process) => process.end()));
    },
  };
}

export function isFailure(error: unknown, reason: ExtractionError['reason']): boolean {
  return error instanceof ExtractionError && error.reason === reason;
}
