/**
 * Returns a function that gives all callers one result of `read`, which is at most `maxAgeMs` old when it is returned. The
 * result of a failed read is not kept.
 */
export function createSharedRead<Result>(
  read: () => Promise<Result>,
  { maxAgeMs }: { maxAgeMs: number },
): () => Promise<Result> {
  let kept: { result: Result; readAt: number } | null = null;
  let running: Promise<Result> | null = null;
  const readOnce = async () => {
    const readAt = performance.now();
    try {
      const result = await read();
      kept = { result, readAt };
      return result;
    } finally {
      running = null;
    }
  };
  return async () => {
    if (kept !== null && performance.now() - kept.readAt < maxAgeMs) return kept.result;
    running ??= readOnce();
    return running;
  };
}
