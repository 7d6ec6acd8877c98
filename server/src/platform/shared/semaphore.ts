export interface Semaphore {
  /**
   * Waits for a place, then runs `work`. A group's work starts in order, and the groups take turns. Rejects with one of
   * `errors` if the work cannot start.
   */
  run<Result>(work: () => Promise<Result>, options?: RunOptions): Promise<Result>;
  close(): void;
}

interface RunOptions {
  /** Default: one group for all calls without a group. */
  group?: string;
  weight?: number;
  /** Default: the semaphore's. */
  maxWaitMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A limit that is absent does not apply. */
interface SemaphoreOptions {
  maxRunning?: number;
  /** Limits the sum of the weights that run together. Larger work runs alone. */
  maxWeight?: number;
  maxWaiting?: number;
  maxWaitMs?: number;
  perGroup?: GroupLimits;
  /**
   * Returns how many milliseconds the group must still wait. After Infinity, it is called again when other work ends.
   * `running` has the groups that run now.
   */
  getDelayMs?: (group: string, running: Iterable<string>) => number;
  errors: {
    full(): Error;
    /** Also used when the signal aborts before the work starts. */
    timedOut(): Error;
    closed(): Error;
  };
}

/** Limits for each group, so that one cannot occupy all places. A group may always have one call waiting. */
interface GroupLimits {
  maxRunning?: number;
  maxWeight?: number;
  maxWaiting?: number;
  maxWaitingWeight?: number;
}

interface Waiter {
  weight: number;
  started: boolean;
  resolve(): void;
  reject(error: Error): void;
}

interface Group {
  name: string;
  queue: Waiter[];
  running: number;
  weight: number;
}

const noLimit = Number.POSITIVE_INFINITY;

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { maxRunning = noLimit, maxWeight = noLimit, maxWaiting = noLimit } = options;
  const { perGroup = {}, getDelayMs, errors } = options;
  /** In the order of their turns. */
  const groups = new Map<string, Group>();
  let running = 0;
  let runningWeight = 0;
  let closed = false;
  let wakeUp: NodeJS.Timeout | undefined;

  const getGroup = (name: string): Group => {
    const group = groups.get(name) ?? { name, queue: [], running: 0, weight: 0 };
    groups.set(name, group);
    return group;
  };
  const moveToBack = (group: Group) => {
    groups.delete(group.name);
    groups.set(group.name, group);
  };
  const dropIfEmpty = (group: Group) => {
    if (group.running === 0 && group.queue.length === 0) groups.delete(group.name);
  };
  const runningGroups = () =>
    [...groups.values()].filter((group) => group.running > 0).map(({ name }) => name);
  const mayRun = (group: Group, weight: number): boolean =>
    group.running === 0 ||
    (group.running < (perGroup.maxRunning ?? noLimit) &&
      group.weight + weight <= (perGroup.maxWeight ?? noLimit));

  /** Returns the call to start next, or the time until the first delayed group may run. */
  const findNext = (): { group?: Group; waiter?: Waiter; delayMs: number } => {
    let delayMs = noLimit;
    for (const group of groups.values()) {
      const [waiter] = group.queue;
      if (waiter === undefined || !mayRun(group, waiter.weight)) continue;
      const groupDelayMs = getDelayMs?.(group.name, runningGroups()) ?? 0;
      if (groupDelayMs <= 0) return { group, waiter, delayMs };
      delayMs = Math.min(delayMs, groupDelayMs);
    }
    return { delayMs };
  };
  const startNext = (): void => {
    clearTimeout(wakeUp);
    while (running < maxRunning) {
      const { group, waiter, delayMs } = findNext();
      if (group === undefined || waiter === undefined) {
        if (delayMs < noLimit) wakeUp = setTimeout(startNext, Math.ceil(delayMs));
        return;
      }
      // No other call overtakes one that is too large for now. Otherwise it might never run.
      if (runningWeight + waiter.weight > maxWeight) return;
      start(group, waiter);
    }
  };
  const start = (group: Group, waiter: Waiter): void => {
    group.queue.shift();
    group.running += 1;
    group.weight += waiter.weight;
    running += 1;
    runningWeight += waiter.weight;
    moveToBack(group);
    waiter.started = true;
    waiter.resolve();
  };
  const end = (group: Group, weight: number): void => {
    group.running -= 1;
    group.weight -= weight;
    running -= 1;
    runningWeight -= weight;
    moveToBack(group);
    dropIfEmpty(group);
    startNext();
  };
  const isOverfull = ({ queue }: Group): boolean => {
    const waiting = [...groups.values()].reduce((sum, group) => sum + group.queue.length, 0);
    if (waiting > maxWaiting) return true;
    if (queue.length === 1) return false;
    const weight = queue.reduce((sum, waiter) => sum + waiter.weight, 0);
    return queue.length > (perGroup.maxWaiting ?? noLimit) || weight > (perGroup.maxWaitingWeight ?? noLimit);
  };
  const leave = (group: Group, waiter: Waiter, error: Error): void => {
    const position = group.queue.indexOf(waiter);
    if (position === -1) return;
    group.queue.splice(position, 1);
    dropIfEmpty(group);
    waiter.reject(error);
    startNext();
  };
  const enter = async (group: Group, weight: number, { maxWaitMs, signal }: RunOptions): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { weight, started: false, resolve, reject };
    group.queue.push(waiter);
    startNext();
    if (waiter.started) return;
    const giveUp = () => leave(group, waiter, errors.timedOut());
    if (isOverfull(group)) leave(group, waiter, errors.full());
    else if (signal?.aborted === true) giveUp();
    const longest = maxWaitMs ?? options.maxWaitMs;
    const timer = longest === undefined ? undefined : setTimeout(giveUp, longest);
    signal?.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    });
  };
  return {
    async run(work, runOptions = {}) {
      if (closed) throw errors.closed();
      const weight = Math.min(runOptions.weight ?? 0, maxWeight);
      const group = getGroup(runOptions.group ?? '');
      await enter(group, weight, runOptions);
      try {
        return await work();
      } finally {
        end(group, weight);
      }
    },
    close() {
      closed = true;
      clearTimeout(wakeUp);
      for (const { queue } of groups.values()) {
        for (const { reject } of queue.splice(0)) reject(errors.closed());
      }
    },
  };
}

/**
 * Runs `work` for the items in `concurrency` parallel loops. A failure ends its loop. Rejects with the first failure when all
 * loops have ended.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = Array.from(items).values();
  const loop = async () => {
    for (const item of queue) await work(item);
  };
  const loops = await Promise.allSettled(Array.from({ length: concurrency }, loop));
  const failed = loops.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
