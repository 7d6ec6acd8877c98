import { tooManyUploads } from './documents.errors.ts';

/** Runs one upload of at most `size` bytes when it is its turn. Throws a 503 when too many wait already. */
export type UploadLimiter = <Result>(size: number, upload: () => Promise<Result>) => Promise<Result>;

interface Room {
  /** Uploads that run. */
  atOnce: number;
  /** Of all that run together; a larger one runs alone. */
  bytes: number;
  /** Uploads that wait for that... */
  waiting: number;
  /** ...and how long: by default 10 s. */
  waitMs?: number;
}

/** Bounds what uploads hold in memory, which is their whole files. The others wait in order, their bodies unread. */
export function createUploadLimiter({ atOnce, bytes, waiting, waitMs = 10_000 }: Room): UploadLimiter {
  const queue: { share: number; go: () => void }[] = [];
  let places = atOnce;
  let free = bytes;
  const letIn = (): void => {
    for (let [next] = queue; places > 0 && next !== undefined && next.share <= free; [next] = queue) {
      queue.shift();
      places -= 1;
      free -= next.share;
      next.go();
    }
  };
  return async (size, upload) => {
    const share = Math.min(size, bytes);
    if (queue.length >= waiting) throw tooManyUploads();
    await new Promise<void>((enter, leave) => {
      const turn = {
        share,
        go() {
          clearTimeout(patience);
          enter();
        },
      };
      const patience = setTimeout(() => {
        queue.splice(queue.indexOf(turn), 1);
        leave(tooManyUploads());
        letIn();
      }, waitMs);
      queue.push(turn);
      letIn();
    });
    try {
      return await upload();
    } finally {
      places += 1;
      free += share;
      letIn();
    }
  };
}
