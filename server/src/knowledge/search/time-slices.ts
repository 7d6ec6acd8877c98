/** Resolves when the work may continue. Rejects with the reason of its signal after an abort. */
export type YieldControl = () => Promise<void>;

const maxSliceMs = 5;

/**
 * Creates `yieldControl` functions. Work that awaits them yields to the event loop after each slice. All work of one
 * slicer shares the slices round-robin, so other requests wait for one slice at a time.
 */
export function createTimeSlicer(
  now: () => number = () => performance.now(),
): (signal?: AbortSignal) => YieldControl {
  const waiting: (() => void)[] = [];
  let turnedAt = Number.NEGATIVE_INFINITY;
  // setImmediate in a callback runs in the next event loop iteration.
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
    if (now() - turnedAt >= maxSliceMs) await turn();
    signal?.throwIfAborted();
  };
}
