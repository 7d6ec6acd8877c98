import type { Logger } from '../shared/logger.ts';

/** The pool's heartbeat: what it does again and again, and what it does when it is told to look. */
export interface Rounds {
  /** The first round; rejects when the lease could not be taken. */
  first: Promise<void>;
  /** Looks at one device soon, together with others that are asked for in the meantime. */
  look(deviceId: string): void;
  /** Makes the next round begin now. */
  hurry(): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

const gatherMs = 5;

export function startRounds(options: {
  everyMs: number;
  /** Comes first in every round, and alone decides how often. */
  renew(): Promise<void>;
  /** The rest of a round, side by side; a task that is still at it is left to finish instead of being begun again. */
  rest: readonly (() => Promise<void>)[];
  look(deviceIds: readonly string[]): Promise<void>;
  logger: Pick<Logger, 'error'>;
}): Rounds {
  const { logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let closed = false;
  const resting = new Map<() => Promise<void>, Promise<void>>();
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

  const rest = () => {
    for (const task of options.rest) {
      if (!resting.has(task))
        resting.set(
          task,
          attempt(task).finally(() => resting.delete(task)),
        );
    }
  };

  let renewing: Promise<void> = Promise.resolve();
  const round = () => {
    clearTimeout(timer);
    renewing = renewing
      .then(() => attempt(options.renew))
      .then(() => {
        rest();
        clearTimeout(timer);
        if (!closed) timer = setTimeout(round, options.everyMs);
      });
  };

  const lookNow = () => {
    gathering = undefined;
    const deviceIds = [...asked];
    asked.clear();
    const look = attempt(() => options.look(deviceIds));
    looks.add(look);
    void look.finally(() => looks.delete(look));
  };

  const first = options.renew().then(() => {
    rest();
    timer = setTimeout(round, options.everyMs);
  });

  return {
    first,
    look(deviceId) {
      if (closed) return;
      asked.add(deviceId);
      gathering ??= setTimeout(lookNow, gatherMs);
    },
    hurry() {
      if (!closed) round();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(gathering);
      await renewing;
      await Promise.all([...resting.values(), ...looks]);
    },
  };
}
