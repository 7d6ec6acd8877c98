import type { Logger } from '../platform/shared/logger.ts';

export interface Pollers {
  /** The first lease renewal. Rejects when the pool could not take a lease. The other tasks start after it. */
  firstRenewal: Promise<void>;
  /** Checks a device within milliseconds, in one batch with other requested devices. */
  checkSoon(deviceId: string): void;
  runAllNow(): void;
  /** Ends everything but the renewal of the lease. */
  stopTasks(): Promise<void>;
  close(): Promise<void>;
}

/** Runs again `everyMs` after each run ends. */
export interface PollTask {
  everyMs: number;
  run(): Promise<void>;
}

const batchDelayMs = 5;

/** Runs `renew` in a loop of its own, because a slow task must not delay the renewal of the lease. */
export function startPollers(options: {
  renew: PollTask;
  others: readonly PollTask[];
  checkDevices(deviceIds: readonly string[]): Promise<void>;
  logger: Pick<Logger, 'error'>;
}): Pollers {
  const { logger, renew, others } = options;
  let batchTimer: NodeJS.Timeout | undefined;
  let closed = false;
  const requested = new Set<string>();
  const runningChecks = new Set<Promise<void>>();

  const attempt = async (task: () => Promise<void>) => {
    try {
      await task();
    } catch (error) {
      logger.error({ err: error }, 'a pool task failed and will be retried');
    }
  };
  const toLoop = (task: PollTask) => createLoop(task.everyMs, () => attempt(task.run));
  const renewalLoop = toLoop(renew);
  const otherLoops = others.map(toLoop);

  const checkRequested = () => {
    batchTimer = undefined;
    const deviceIds = [...requested];
    requested.clear();
    const check = attempt(() => options.checkDevices(deviceIds));
    runningChecks.add(check);
    void check.finally(() => runningChecks.delete(check));
  };

  const firstRenewal = renew.run().then(() => {
    renewalLoop.schedule();
    for (const loop of otherLoops) loop.runNow();
  });

  const stopTasks = async () => {
    closed = true;
    clearTimeout(batchTimer);
    await Promise.all([...otherLoops.map((loop) => loop.stop()), ...runningChecks]);
  };

  return {
    firstRenewal,
    checkSoon(deviceId) {
      if (closed) return;
      requested.add(deviceId);
      batchTimer ??= setTimeout(checkRequested, batchDelayMs);
    },
    runAllNow() {
      for (const loop of [renewalLoop, ...otherLoops]) loop.runNow();
    },
    stopTasks,
    async close() {
      await Promise.all([renewalLoop.stop(), stopTasks()]);
    },
  };
}

interface Loop {
  runNow(): void;
  schedule(): void;
  stop(): Promise<void>;
}

function createLoop(everyMs: number, task: () => Promise<void>): Loop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let runAgain = false;
  let stopped = false;

  const schedule = () => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(runNow, everyMs);
  };
  const runNow = () => {
    runAgain = running !== null;
    if (runAgain || stopped) return;
    clearTimeout(timer);
    running = task().then(() => {
      running = null;
      if (runAgain) runNow();
      else schedule();
    });
  };
  return {
    runNow,
    schedule,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
