import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import os from 'node:os';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { takeEnd } from '../../../platform/shared/cut-text.ts';
import type { DocumentType } from '../document-type.ts';
import { type DocumentText, ExtractionError, type ExtractionFailure } from './extraction.ts';
import { type ExtractionRequest, isPortion, parseEnd, parsePortion } from './extraction-messages.ts';
import { readFrames, writeFrame } from './frames.ts';
import { type ReaderLaunch, systemPath } from './reader-isolation.ts';

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
  /** Default: plain. */
  launch?: ReaderLaunch;
}

export interface DocumentFile {
  type: DocumentType;
  bytes: Uint8Array;
}

export interface ExtractionProgram {
  /** Node's options, the program and its arguments. */
  args: readonly string[];
  launch: ReaderLaunch;
  maxInflatedBytes: number;
  /** The program's own limit for a document. */
  timeoutMs: number;
  /** Added to the limit, for a program that enforces it itself. */
  graceMs: number;
  /** Otherwise the process lowers its own priority after its start. */
  lowPriority: boolean;
}

export interface ReadOptions {
  /** Default: the program's. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface ExtractionProcess {
  /** False if the process has ended, or if its guard lowered its priority, which it cannot raise again. */
  readonly reusable: boolean;
  /** Rejects with `ExtractionError`. An abort kills the process. */
  extract(document: DocumentFile, options?: ReadOptions): Promise<DocumentText>;
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
    get reusable() {
      const { pid, killed, exitCode, signalCode } = child;
      return pid !== undefined && !killed && exitCode === null && signalCode === null && !isLowered(pid);
    },
    async extract({ type, bytes }, { timeoutMs: wantedMs = program.timeoutMs, signal } = {}) {
      const timeoutMs = Math.min(wantedMs, program.timeoutMs);
      const request: ExtractionRequest = { type, maxInflatedBytes: program.maxInflatedBytes, timeoutMs };
      writeFrame(child.stdin, Buffer.from(JSON.stringify(request)));
      writeFrame(child.stdin, bytes);
      let ended: ExtractionError | null = null;
      const giveUp = () => {
        ended ??= createNoTimeError();
        child.kill('SIGKILL');
      };
      const timer = setTimeout(giveUp, timeoutMs + program.graceMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted === true) giveUp();
      const yielding = yieldOnceLowered(child);
      try {
        return await receiveOrExit();
      } catch (error) {
        throw ended ?? error;
      } finally {
        clearTimeout(timer);
        clearInterval(yielding);
        signal?.removeEventListener('abort', giveUp);
      }
    },
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function spawnChild({ args, launch, lowPriority }: ExtractionProgram): ChildProcessWithoutNullStreams {
  // Helper threads of the garbage collector would compete with the server.
  const [command = '', ...rest] = [...launch.launcher, process.execPath, '--v8-pool-size=0', ...args];
  // Not detached: the scheduler would give a separate session as much processor time as the server.
  const options = { cwd: '/', env: { PATH: systemPath }, windowsHide: true, ...launch.account };
  const child = spawn(command, rest, { ...options, stdio: 'pipe' });
  if (lowPriority && child.pid !== undefined) lowerPriority(child.pid);
  child.stdin.on('error', () => {}); // the process died; `exited` reports it
  return child;
}

/** A quarter of the share of others. A tenth starved readers on busy machines until their deadline. */
const readerNiceness = 5;

/** Call it before the process creates threads, which inherit the priority. */
export function lowerPriority(pid: number): void {
  try {
    os.setPriority(pid, readerNiceness);
  } catch {
    // The process has ended already.
  }
}

/** A server with a low priority of its own starts readers with the same. */
function isLowered(pid: number): boolean {
  try {
    return os.getPriority(pid) > Math.max(readerNiceness, os.getPriority());
  } catch {
    return true; // the process has ended
  }
}

const loweredCheckMs = 100;

/**
 * Linux lets a process of the lowest priority finish its turn of some milliseconds before another one gets the processor. A
 * process with the idle policy gives way at once. The guard cannot set the policy.
 */
function yieldOnceLowered({ pid }: ChildProcessWithoutNullStreams): NodeJS.Timeout {
  const timer = setInterval(() => {
    if (pid === undefined || !isLowered(pid)) return;
    clearInterval(timer);
    // The priority stays where the command or the policy does not exist.
    spawn('chrt', ['-i', '-p', '0', String(pid)], { env: { PATH: systemPath }, stdio: 'ignore' }).on(
      'error',
      () => {},
    );
  }, loweredCheckMs);
  return timer;
}

function waitForExit(child: ChildProcessWithoutNullStreams): Promise<ExtractionError> {
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errorOutput = takeEnd(errorOutput + chunk, maxErrorOutputLength);
  });
  return new Promise((resolve) => {
    child.on('error', (cause) =>
      resolve(new ExtractionError('interrupted', 'The process did not start', { cause })),
    );
    child.on('exit', (code, signal) => {
      const message = `The process ended with ${signal ?? code}: ${errorOutput.trim()}`;
      resolve(signal === 'SIGALRM' ? createNoTimeError() : new ExtractionError(toFailure(signal), message));
    });
  });
}

const createNoTimeError = (): ExtractionError =>
  new ExtractionError('overloaded', 'There was no time left to read the document');

/** V8 aborts or traps when it is out of memory. The guard sends SIGXCPU. */
function toFailure(signal: NodeJS.Signals | null): ExtractionFailure {
  if (signal === 'SIGXCPU') return 'timeout';
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return 'too_large';
  if (signal === 'SIGSEGV' || signal === 'SIGBUS' || signal === 'SIGILL' || signal === 'SIGFPE')
    return 'unreadable';
  return 'interrupted';
}

const maxTextBytes = 64 * 2 ** 20;
/** Millions of empty portions would otherwise fill this process. */
const minPortionBytes = 1024;

/** Checks and stores portions unparsed, because they take less memory. Never resolves if the process dies. */
export async function receiveText(messages: AsyncIterator<Buffer, void>): Promise<DocumentText> {
  const portions: Buffer[] = [];
  let bytes = 0;
  try {
    for (let next = await messages.next(); next.value !== undefined; next = await messages.next()) {
      if (!isPortion(next.value)) return toDocumentText(portions, next.value);
      bytes += Math.max(next.value.length, minPortionBytes);
      if (bytes > maxTextBytes) throw new ExtractionError('too_large', 'The text is too long');
      parsePortion(next.value);
      portions.push(next.value);
      await yieldToEventLoop();
    }
  } catch (cause) {
    if (cause instanceof ExtractionError) throw cause;
    if (cause instanceof RangeError)
      throw new ExtractionError('too_large', 'The text is too long', { cause });
    throw new ExtractionError('unreadable', 'The extraction process sent an invalid message', { cause });
  }
  return new Promise(() => {});
}

function toDocumentText(portions: readonly Buffer[], end: Buffer): DocumentText {
  const outcome = parseEnd(end);
  if ('failure' in outcome) throw new ExtractionError(outcome.failure, outcome.message);
  const sections = {
    *[Symbol.iterator]() {
      for (const portion of portions) yield* parsePortion(portion);
    },
  };
  return { sections, chars: outcome.chars };
}
