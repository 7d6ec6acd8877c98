/** Repeats a round, one at a time. */
export interface Poller {
  /** Another round as soon as the present one has ended. */
  wake(): void;
  /** No more rounds; resolves when the present one has ended. */
  close(): Promise<void>;
}

/** Hints that come within this time make one round. */
const togetherMs = 5;

/** `round` answers in how many milliseconds the next is due, `latestMs` at the latest. It must not reject. */
export function createPoller(round: () => Promise<number>, latestMs: number): Poller {
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<void> | null = null;
  let hinted = false;
  let closed = false;

  const schedule = (ms: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(run, ms);
  };
  const run = () => {
    hinted = false;
    present = round().then((ms) => {
      present = null;
      schedule(hinted ? togetherMs : Math.min(Math.max(ms, togetherMs), latestMs));
    });
  };

  return {
    wake() {
      if (hinted) return;
      hinted = true;
      if (present === null) schedule(togetherMs);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await present;
    },
  };
}
