/** Resolves once this thread may go on. Rejects with the reason of the work's signal once that has aborted. */
export type YieldControl = () => Promise<void>;

/** Milliseconds of work after which whatever else waits for this thread comes first. */
const MAX_SLICE_MS = 5;

/**
 * Long work goes on in slices, which all that share the turns take one after another: in between, the thread serves
 * whoever else waits for it, however many answers are being made. `now`: milliseconds, only differences count.
 */
export function createTimeSlicer(
  now: () => number = () => performance.now(),
): (signal?: AbortSignal) => YieldControl {
  const waiting: (() => void)[] = [];
  let turnedAt = Number.NEGATIVE_INFINITY;
  // What is set while it runs comes with the event loop's next round.
  const next = (): void => {
    turnedAt = now();
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
  return (signal) => async () => {
    if (now() - turnedAt >= MAX_SLICE_MS) await turn();
    signal?.throwIfAborted();
  };
}
