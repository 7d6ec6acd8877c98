/** Rejects after `ms`, or when `parent` aborts, even if `work` ignores its signal. */
export async function withDeadline<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
  parent?: AbortSignal,
): Promise<Result> {
  const controller = new AbortController();
  const aborted = Promise.withResolvers<never>();
  controller.signal.addEventListener('abort', () => aborted.reject(controller.signal.reason), { once: true });
  const giveUp = () => controller.abort(parent?.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`Timed out after ${ms} ms`, 'TimeoutError'));
  }, ms);
  if (parent?.aborted === true) giveUp();
  parent?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work(controller.signal), aborted.promise]);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', giveUp);
  }
}
