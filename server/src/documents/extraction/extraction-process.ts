import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import os from 'node:os';
import type { DocumentType } from '../document-type.ts';
import { type DocumentText, ExtractionError, type ExtractionFailure } from './extraction.ts';
import type { ExtractionRequest } from './extraction-messages.ts';
import { readFrames, writeFrame } from './frames.ts';
import { receiveText } from './receive-text.ts';

const maxMessageBytes = 2 ** 20;
const maxErrorOutputLength = 2000;

export interface ExtractionLimits {
  /** Resident memory of the whole process. */
  memoryMb: number;
  maxInflatedBytes: number;
  /** Per document, all threads together. */
  processorMs: number;
  /** Per document. Default: ten times `processorMs`. */
  wallClockMs?: number;
}

export interface DocumentFile {
  type: DocumentType;
  bytes: Uint8Array;
}

export interface ExtractionProgram {
  /** Node's options, the program and its arguments. */
  args: readonly string[];
  maxInflatedBytes: number;
  timeoutMs: number;
  /** Otherwise the process lowers its own priority after its start. */
  lowPriority: boolean;
}

export interface ExtractionProcess {
  readonly alive: boolean;
  /** Rejects with `ExtractionError`. An abort kills the process. */
  extract(document: DocumentFile, signal?: AbortSignal): Promise<DocumentText>;
  end(): Promise<void>;
}

export function startExtractionProcess(program: ExtractionProgram): ExtractionProcess {
  const child = spawnChild(program);
  const exited = waitForExit(child);
  const messages = readFrames(child.stdout, maxMessageBytes);
  let exitError: ExtractionError | null = null;
  let interrupt: ((error: ExtractionError) => void) | null = null;
  void exited.then((error) => {
    exitError = error;
    interrupt?.(error);
  });
  /** `Promise.race` with `exited` would retain every text for the lifetime of the process. */
  const receiveOrExit = async (): Promise<DocumentText> => {
    const { promise, resolve, reject } = Promise.withResolvers<DocumentText>();
    interrupt = reject;
    if (exitError !== null) reject(exitError);
    receiveText(messages).then(resolve, reject);
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
        return await receiveOrExit();
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

function spawnChild({ args, lowPriority }: ExtractionProgram): ChildProcessWithoutNullStreams {
  const child = spawn(
    process.execPath,
    // Helper threads of the garbage collector would compete with the server.
    ['--v8-pool-size=0', ...args],
    // Not detached: the scheduler would give a separate session as much processor time as the server.
    { cwd: '/', env: {}, stdio: 'pipe', windowsHide: true },
  );
  if (lowPriority && child.pid !== undefined) lowerPriority(child.pid);
  child.stdin.on('error', () => {}); // the process died; `exited` reports it
  return child;
}

/** Call it before the process creates threads, which inherit the priority. */
export function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}

function waitForExit(child: ChildProcessWithoutNullStreams): Promise<ExtractionError> {
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorOutputLength);
  });
  return new Promise((resolve) => {
    child.on('error', (cause) =>
      resolve(new ExtractionError('interrupted', 'The process did not start', { cause })),
    );
    child.on('exit', (code, signal) => {
      const message = `The process ended with ${signal ?? code}: ${errorOutput.trim()}`;
      resolve(new ExtractionError(toFailure(signal), message));
    });
  });
}

/** V8 aborts or traps when it is out of memory. The guard sends SIGXCPU. */
function toFailure(signal: NodeJS.Signals | null): ExtractionFailure {
  if (signal === 'SIGXCPU') return 'timeout';
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return 'too_large';
  if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGILL' || signal === 'SIGFPE')
    return 'unreadable';
  return 'interrupted';
}
