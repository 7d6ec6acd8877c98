import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { killMessage } from '../../src/platform/shared/fault-points.ts';

/** The addresses in the `ready` log line, by role. */
export type Addresses = Record<string, string>;

/** An exit that the test did not cause, or an exit at a fault point. */
export interface ProcessExit {
  process: string;
  /** `performance.now()`. */
  at: number;
  /** The fault point at which the process killed itself, or null. */
  point: string | null;
  /** Exit code or signal. */
  how: string;
  wasReady: boolean;
}

interface Run {
  child: ChildProcess;
  addresses: Addresses | null;
  /** The test ended it. */
  expected: boolean;
  /** The fault point that it printed last. */
  point: string | null;
  ended: Promise<void>;
}

/** Time between an exit and the next start. */
const restartAfterMs = 150;

/** A process that restarts after every exit until it is released. */
export class SupervisedProcess {
  readonly name: string;
  readonly #launch: () => { args: readonly string[]; environment: Record<string, string> };
  readonly #armedPoints: () => readonly string[];
  readonly #onExit: (exit: ProcessExit) => void;
  readonly #log: WriteStream;
  #run: Run | null = null;
  #last: Addresses = {};
  #released = false;
  #ready = Promise.withResolvers<void>();

  /** `launch` returns the program, `armedPoints` the fault points (`name@N`) for its next start. */
  constructor(options: {
    name: string;
    launch: () => { args: readonly string[]; environment: Record<string, string> };
    armedPoints: () => readonly string[];
    onExit: (exit: ProcessExit) => void;
    logFile: string;
  }) {
    this.name = options.name;
    this.#launch = options.launch;
    this.#armedPoints = options.armedPoints;
    this.#onExit = options.onExit;
    this.#log = createWriteStream(options.logFile, { flags: 'a', mode: 0o600 });
  }

  /** The addresses of the current run, or of the last one. */
  get addresses(): Addresses {
    return this.#last;
  }

  get isReady(): boolean {
    return this.#run?.addresses != null;
  }

  start(): void {
    const armedPoints = this.#armedPoints();
    const { args, environment } = this.#launch();
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...environment,
        ...(armedPoints.length === 0 ? {} : { FAULT_POINT: armedPoints.join(',') }),
      },
    });
    const run: Run = {
      child,
      addresses: null,
      expected: false,
      point: null,
      ended: once(child, 'close').then(() => this.#handleExit(run)),
    };
    this.#run = run;
    this.#listen(run);
  }

  /** Resolves when this run or a later one is ready. */
  waitUntilReady(): Promise<void> {
    return this.isReady ? Promise.resolve() : this.#ready.promise;
  }

  /** Ends this run. The next one starts without being awaited. */
  async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    run.expected = true;
    run.child.kill(signal);
    await run.ended;
  }

  /** Suspends it with SIGSTOP. */
  async pause(ms: number): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    run.child.kill('SIGSTOP');
    await delay(ms);
    run.child.kill('SIGCONT');
  }

  /** Kills it without a restart. */
  async release(): Promise<void> {
    this.#released = true;
    await this.restart('SIGKILL');
    this.#log.end();
  }

  #listen(run: Run): void {
    if (run.child.stderr !== null)
      createInterface({ input: run.child.stderr }).on('line', (line) => {
        this.#log.write(`${line}\n`);
        if (line.startsWith(killMessage)) run.point = line.slice(killMessage.length);
      });
    if (run.child.stdout === null) return;
    createInterface({ input: run.child.stdout }).on('line', (line) => {
      this.#log.write(`${line}\n`);
      if (run.addresses !== null || !line.includes('"ready"')) return;
      const { level: _, time: __, msg, ...addresses } = JSON.parse(line);
      if (msg !== 'ready') return;
      run.addresses = addresses;
      this.#last = addresses;
      this.#ready.resolve();
    });
  }

  async #handleExit(run: Run): Promise<void> {
    this.#run = null;
    if (run.addresses !== null) this.#ready = Promise.withResolvers();
    if (!run.expected || run.point !== null) {
      const { exitCode, signalCode } = run.child;
      this.#onExit({
        process: this.name,
        at: performance.now(),
        point: run.point,
        how: String(signalCode ?? exitCode),
        wasReady: run.addresses !== null,
      });
    }
    if (this.#released) return;
    await delay(restartAfterMs);
    if (!this.#released) this.start();
  }
}
