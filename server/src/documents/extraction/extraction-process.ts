import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import os from 'node:os';
import type { DocumentType } from '../document-type.ts';
import { type DocumentText, ExtractionError, type ExtractionFailure } from './extraction.ts';
import { receiveText } from './extraction-answer.ts';
import type { ExtractionRequest } from './extraction-messages.ts';
import { readFrames, writeFrame } from './frames.ts';

/** A portion of a text, as JSON, at its longest. */
const maxMessageBytes = 2 ** 20;
const lastWordsLength = 2000;

export interface ExtractionLimits {
  /** Of the whole process, resident. */
  memoryMb: number;
  /** Of the parts of an archive, unpacked. */
  maxInflatedBytes: number;
  /** Processor time for one document, all threads together. */
  processorMs: number;
  /** Time by the clock for one document: what others with the processors may make of it. By default ten times that. */
  wallClockMs?: number;
}

export interface DocumentFile {
  type: DocumentType;
  bytes: Uint8Array;
}

/** What is started, and how long it is waited for. */
export interface ExtractionProgram {
  /** Node's own options, the program and its arguments. */
  args: readonly string[];
  maxInflatedBytes: number;
  /** For one document. */
  timeoutMs: number;
  /** From its start; otherwise it does so itself, once it has started. */
  lowPriority: boolean;
}

/** A process that extracts one document at a time. */
export interface ExtractionProcess {
  /** False once the process is gone, or about to go. */
  readonly alive: boolean;
  /** Rejects with `ExtractionError`. An abort ends the process as its own timeout does. */
  extract(document: DocumentFile, signal?: AbortSignal): Promise<DocumentText>;
  /** Resolves when the process is gone. */
  end(): Promise<void>;
}

/** Starts an extraction process. It ends with this one, and keeps it alive until `end`. */
export function startExtractionProcess(program: ExtractionProgram): ExtractionProcess {
  const child = spawnChild(program);
  const exited = exitOf(child);
  const answers = readFrames(child.stdout, maxMessageBytes);
  let gone: ExtractionError | null = null;
  let interrupt: ((error: ExtractionError) => void) | null = null;
  void exited.then((error) => {
    gone = error;
    interrupt?.(error);
  });
  /** No race with `exited`, which would hold every text for as long as the process lives. */
  const answerOrExit = async (): Promise<DocumentText> => {
    const { promise, resolve, reject } = Promise.withResolvers<DocumentText>();
    interrupt = reject;
    if (gone !== null) reject(gone);
    receiveText(answers).then(resolve, reject);
    try {
      return await promise;
    } finally {
      interrupt = null;
    }
  };

  return {
    get alive() {
      return child.pid !== undefined && !child.killed && child.exitCode === null && child.signalCode === null;
    },
    async extract({ type, bytes }, signal) {
      const request: ExtractionRequest = { type, maxInflatedBytes: program.maxInflatedBytes };
      writeFrame(child.stdin, Buffer.from(JSON.stringify(request)));
      writeFrame(child.stdin, bytes);
      let ended: ExtractionError | null = null;
      const giveUp = () => {
        ended ??= new ExtractionError('overloaded', 'There was no time left to read the document');
        child.kill('SIGKILL');
      };
      const timer = setTimeout(giveUp, program.timeoutMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted === true) giveUp();
      try {
        return await answerOrExit();
      } catch (error) {
        throw ended ?? error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      }
    },
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function spawnChild({ args, lowPriority: givesWay }: ExtractionProgram): ChildProcessWithoutNullStreams {
  const child = spawn(
    process.execPath,
    // The collector's helpers would take the processors that are left to the server.
    ['--v8-pool-size=0', ...args],
    // Not detached: in a session of its own it would have as much of the processors as the server, whatever its niceness.
    { cwd: '/', env: {}, stdio: 'pipe', windowsHide: true },
  );
  if (givesWay && child.pid !== undefined) lowerPriority(child.pid);
  child.stdin.on('error', () => {}); // writing to a process that died; its exit tells of that
  return child;
}

/**
 * Lets the server go first, however many documents burn processors. A process that reads is told from outside, before it
 * has threads, which inherit it.
 */
export function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already; `exited` tells of that.
  }
}

/** Resolves when the process is gone, with what that means for the document it was reading. */
function exitOf(child: ChildProcessWithoutNullStreams): Promise<ExtractionError> {
  let lastWords = '';
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-lastWordsLength);
  });
  return new Promise((resolve) => {
    child.on('error', (cause) =>
      resolve(new ExtractionError('interrupted', 'The process did not start', { cause })),
    );
    child.on('exit', (code, signal) => {
      const message = `The process ended with ${signal ?? code}: ${lastWords.trim()}`;
      resolve(new ExtractionError(failureOf(signal), message));
    });
  });
}

/**
 * Out of memory, V8 aborts or traps; the guard ends what has had its processor time as a system does; a document that
 * crashes its reader does so in the ways of a processor.
 */
function failureOf(signal: NodeJS.Signals | null): ExtractionFailure {
  if (signal === 'SIGXCPU') return 'timeout';
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return 'too_large';
  if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGILL' || signal === 'SIGFPE')
    return 'unreadable';
  return 'interrupted';
}
