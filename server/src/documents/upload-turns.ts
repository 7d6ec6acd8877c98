import { tooManyUploads } from './documents.errors.ts';

/** Runs one upload when it is its turn. Throws a 503 when too many wait already. */
export type UploadTurns = <Result>(upload: () => Promise<Result>) => Promise<Result>;

/**
 * Bounds what uploads hold in memory, which is their whole files: `atOnce` are worked on, `waiting` more wait with their
 * bodies unread.
 */
export function createUploadTurns({ atOnce, waiting }: { atOnce: number; waiting: number }): UploadTurns {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (upload) => {
    if (running < atOnce) running += 1;
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve));
    else throw tooManyUploads();
    try {
      return await upload();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next(); // which takes over the place
    }
  };
}
