export interface Semaphore {
  /** Runs calls in order. Rejects with one of `errors` if there is no room. */
  run<Result>(
    work: () => Promise<Result>,
    options?: { weight?: number; signal?: AbortSignal | undefined },
  ): Promise<Result>;
  close(): void;
}

interface SemaphoreOptions {
  maxRunning: number;
  /** Limits the sum of the weights that run together. Larger work runs alone. */
  maxWeight?: number;
  maxWaiting: number;
  maxWaitMs?: number;
  errors: {
    full(): Error;
    /** Also when the signal aborts while the call waits. */
    timedOut(): Error;
    closed(): Error;
  };
}

interface Waiter {
  weight: number;
  resolve(): void;
  reject(error: Error): void;
}

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { maxRunning, maxWeight = Number.POSITIVE_INFINITY, maxWaiting, maxWaitMs, errors } = options;
  const queue: Waiter[] = [];
  let running = 0;
  let runningWeight = 0;
  let closed = false;
  const fits = (weight: number) => running < maxRunning && runningWeight + weight <= maxWeight;
  const acquire = (weight: number) => {
    running += 1;
    runningWeight += weight;
  };
  const startNext = () => {
    for (let [next] = queue; next !== undefined && fits(next.weight); [next] = queue) {
      queue.shift();
      acquire(next.weight);
      next.resolve();
    }
  };
  const wait = async (weight: number, signal: AbortSignal | undefined): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { weight, resolve, reject };
    const giveUp = () => {
      const position = queue.indexOf(waiter);
      if (position === -1) return;
      queue.splice(position, 1);
      reject(errors.timedOut());
      startNext();
    };
    queue.push(waiter);
    const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    });
  };
  return {
    async run(work, { weight: wanted = 0, signal } = {}) {
      const weight = Math.min(wanted, maxWeight);
      if (closed) throw errors.closed();
      if (queue.length === 0 && fits(weight)) acquire(weight);
      else if (queue.length >= maxWaiting) throw errors.full();
      else if (signal?.aborted === true) throw errors.timedOut();
      else await wait(weight, signal);
      try {
        return await work();
      } finally {
        running -= 1;
        runningWeight -= weight;
        startNext();
      }
    },
    close() {
      closed = true;
      for (const { reject } of queue.splice(0)) reject(errors.closed());
    },
  };
}

/** Rejects with the first failure after all work has ended. */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = Array.from(items).values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  const failed = lanes.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
