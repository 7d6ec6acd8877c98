export interface Poller {
  wake(): void;
  /** Stops polling. Resolves when the running poll has ended. */
  close(): Promise<void>;
}

const batchMs = 5;

/** Runs one `poll` at a time. It returns the milliseconds until the next one, at most `maxMs`, and must not reject. */
export function createPoller(poll: () => Promise<number>, maxMs: number): Poller {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let woken = false;
  let closed = false;

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(run, ms);
  };
  const run = () => {
    woken = false;
    running = poll().then((ms) => {
      running = null;
      schedule(woken ? batchMs : Math.min(Math.max(ms, batchMs), maxMs));
    });
  };

  return {
    wake() {
      if (woken) return;
      woken = true;
      if (running === null) schedule(batchMs);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
