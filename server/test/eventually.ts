import { setTimeout as delay } from 'node:timers/promises';

/** Retries `attempt` until it succeeds. Throws its last error after `withinMs`. */
export async function eventually<Result>(attempt: () => Promise<Result>, withinMs = 20_000): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(20);
    }
  }
}
