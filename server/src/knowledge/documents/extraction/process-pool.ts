import { createStoppingError, type DocumentText, ExtractionError } from './extraction.ts';
import type { DocumentFile, ExtractionProcess, ReadOptions } from './extraction-process.ts';

export interface ProcessPool {
  extract(document: DocumentFile, options?: ReadOptions): Promise<DocumentText>;
  close(): Promise<void>;
}

export interface PooledProcesses {
  start(): ExtractionProcess;
  maxDocuments: number;
  isReusableAfter(error: unknown): boolean;
}

/** Reuses processes. The caller limits how many documents are read at a time. */
export function createProcessPool(processes: PooledProcesses): ProcessPool {
  const documentsRead = new Map<ExtractionProcess, number>();
  const idle: ExtractionProcess[] = [];
  let closed = false;

  const idleProcess = (): ExtractionProcess | undefined => {
    let found = idle.pop();
    for (; found !== undefined && !found.reusable; found = idle.pop()) {
      documentsRead.delete(found);
      void found.end();
    }
    return found;
  };

  const newProcess = (): ExtractionProcess => {
    if (closed) throw createStoppingError();
    const started = processes.start();
    documentsRead.set(started, 0);
    return started;
  };

  const release = async (process: ExtractionProcess, reusable: boolean): Promise<void> => {
    const count = (documentsRead.get(process) ?? 0) + 1;
    documentsRead.set(process, count);
    if (reusable && process.reusable && count < processes.maxDocuments && !closed) {
      idle.push(process);
      return;
    }
    documentsRead.delete(process);
    await process.end();
  };

  const extractWith = async (
    process: ExtractionProcess,
    document: DocumentFile,
    options: ReadOptions | undefined,
  ): Promise<DocumentText> => {
    try {
      const text = await process.extract(document, options);
      await release(process, true);
      return text;
    } catch (error) {
      await release(process, processes.isReusableAfter(error));
      throw error;
    }
  };

  return {
    async extract(document, options) {
      const idleReader = idleProcess();
      if (idleReader === undefined) return extractWith(newProcess(), document, options);
      try {
        return await extractWith(idleReader, document, options);
      } catch (error) {
        if (!isFailure(error, 'interrupted')) throw error;
        // The idle process may have died before it received this document.
        return extractWith(newProcess(), document, options);
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
