import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { killMessage } from '../../src/shared/fault-points.ts';

/** Where the process listens, by role, as its line `ready` says. */
export type Addresses = Record<string, string>;

/** An end that nobody of the rig has brought about, or one at a fault point. */
export interface ProcessExit {
  process: string;
  /** By `performance.now()`. */
  at: number;
  /** The fault point at which the process killed itself; null when it ended for another reason. */
  point: string | null;
  /** Exit code or signal. */
  how: string;
  wasReady: boolean;
}

interface Life {
  child: ChildProcess;
  addresses: Addresses | null;
  /** The rig has told it to end. */
  told: boolean;
  /** The fault point that it named last of all. */
  point: string | null;
  ended: Promise<void>;
}

/** Between an end and the next start. */
const restartAfterMs = 150;

/** A process that is started again whenever it ends, by whosever hand, until it is let go. */
export class SupervisedProcess {
  readonly name: string;
  readonly #launch: () => { args: readonly string[]; environment: Record<string, string> };
  readonly #arms: () => readonly string[];
  readonly #onOwnEnd: (end: ProcessExit) => void;
  readonly #log: WriteStream;
  #life: Life | null = null;
  #last: Addresses = {};
  #released = false;
  #ready = Promise.withResolvers<void>();

  /**
   * `launch`: what to run. `arms`: the fault points (`name@N`) at which its next life may end, at the first that comes.
   */
  constructor(options: {
    name: string;
    launch: () => { args: readonly string[]; environment: Record<string, string> };
    arms: () => readonly string[];
    onOwnEnd: (end: ProcessExit) => void;
    logFile: string;
  }) {
    this.name = options.name;
    this.#launch = options.launch;
    this.#arms = options.arms;
    this.#onOwnEnd = options.onOwnEnd;
    this.#log = createWriteStream(options.logFile, { flags: 'a', mode: 0o600 });
  }

  /** Where it listens, or listened last. */
  get addresses(): Addresses {
    return this.#last;
  }

  get isReady(): boolean {
    return this.#life?.addresses != null;
  }

  start(): void {
    const arms = this.#arms();
    const { args, environment } = this.#launch();
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...environment,
        ...(arms.length === 0 ? {} : { FAULT_POINT: arms.join(',') }),
      },
    });
    const life: Life = {
      child,
      addresses: null,
      told: false,
      point: null,
      ended: once(child, 'close').then(() => this.#over(life)),
    };
    this.#life = life;
    this.#listen(life);
  }

  /** Resolves when this life, or a later one, is ready. */
  untilReady(): Promise<void> {
    return this.isReady ? Promise.resolve() : this.#ready.promise;
  }

  /** Ends this life and begins the next, which is not waited for. */
  async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const life = this.#life;
    if (life === null) return;
    life.told = true;
    life.child.kill(signal);
    await life.ended;
  }

  /** Stops it in its tracks for a while. */
  async pause(ms: number): Promise<void> {
    const life = this.#life;
    if (life === null) return;
    life.child.kill('SIGSTOP');
    await delay(ms);
    life.child.kill('SIGCONT');
  }

  /** Kills it for good. */
  async release(): Promise<void> {
    this.#released = true;
    await this.restart('SIGKILL');
    this.#log.end();
  }

  #listen(life: Life): void {
    if (life.child.stderr !== null)
      createInterface({ input: life.child.stderr }).on('line', (line) => {
        this.#log.write(`${line}\n`);
        if (line.startsWith(killMessage)) life.point = line.slice(killMessage.length);
      });
    if (life.child.stdout === null) return;
    createInterface({ input: life.child.stdout }).on('line', (line) => {
      this.#log.write(`${line}\n`);
      if (life.addresses !== null || !line.includes('"ready"')) return;
      const { level: _, time: __, msg, ...addresses } = JSON.parse(line);
      if (msg !== 'ready') return;
      life.addresses = addresses;
      this.#last = addresses;
      this.#ready.resolve();
    });
  }

  async #over(life: Life): Promise<void> {
    this.#life = null;
    if (life.addresses !== null) this.#ready = Promise.withResolvers();
    if (!life.told || life.point !== null) {
      const { exitCode, signalCode } = life.child;
      this.#onOwnEnd({
        process: this.name,
        at: performance.now(),
        point: life.point,
        how: String(signalCode ?? exitCode),
        wasReady: life.addresses !== null,
      });
    }
    if (this.#released) return;
    await delay(restartAfterMs);
    if (!this.#released) this.start();
  }
}
