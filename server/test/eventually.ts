import { setTimeout as delay } from 'node:timers/promises';

/** Waits for what becomes true by itself; fails with the last reason why it is not after `withinMs`. */
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
