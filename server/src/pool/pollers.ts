import type { Logger } from '../shared/logger.ts';

/** What a pool does again and again, and what it does when it is told to look. */
export interface Pollers {
  /** The first renewal; rejects when the lease could not be taken. Everything else begins after it. */
  firstRenewal: Promise<void>;
  /** Looks at one device soon, together with others that are asked for in the meantime. */
  checkSoon(deviceId: string): void;
  /** Makes everything begin now. */
  runAllNow(): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Something to be done again `everyMs` after its end. */
export interface PollTask {
  everyMs: number;
  run(): Promise<void>;
}

const gatherMs = 5;

/** `renew` alone decides whether the pool may go on, so nothing else holds it up. */
export function startPollers(options: {
  renew: PollTask;
  rest: readonly PollTask[];
  look(deviceIds: readonly string[]): Promise<void>;
  logger: Pick<Logger, 'error'>;
}): Pollers {
  const { logger, renew, rest } = options;
  let gathering: NodeJS.Timeout | undefined;
  let closed = false;
  const asked = new Set<string>();
  const looks = new Set<Promise<void>>();

  const attempt = async (task: () => Promise<void>) => {
    if (closed) return;
    try {
      await task();
    } catch (error) {
      logger.error({ err: error }, 'a task of the pool failed; it comes again');
    }
  };
  const loops = [renew, ...rest].map((task) => createLoop(task.everyMs, () => attempt(task.run)));

  const lookNow = () => {
    gathering = undefined;
    const deviceIds = [...asked];
    asked.clear();
    const look = attempt(() => options.look(deviceIds));
    looks.add(look);
    void look.finally(() => looks.delete(look));
  };

  const first = renew.run().then(() => {
    const [renewal, ...others] = loops;
    renewal?.later();
    for (const loop of others) loop.now();
  });

  return {
    firstRenewal: first,
    checkSoon(deviceId) {
      if (closed) return;
      asked.add(deviceId);
      gathering ??= setTimeout(lookNow, gatherMs);
    },
    runAllNow() {
      for (const loop of loops) loop.now();
    },
    async close() {
      closed = true;
      clearTimeout(gathering);
      await Promise.all([...loops.map((loop) => loop.stop()), ...looks]);
    },
  };
}

interface Loop {
  /** Begins now, or once more when it is at it. */
  now(): void;
  later(): void;
  stop(): Promise<void>;
}

/** Runs `task`, which must not reject, one at a time. */
function createLoop(everyMs: number, task: () => Promise<void>): Loop {
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  const later = () => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(now, everyMs);
  };
  const now = () => {
    again = present !== null;
    if (again || stopped) return;
    clearTimeout(timer);
    present = task().then(() => {
      present = null;
      if (again) now();
      else later();
    });
  };
  return {
    now,
    later,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await present;
    },
  };
}
