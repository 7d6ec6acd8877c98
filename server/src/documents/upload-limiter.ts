import { createSemaphore } from '../shared/semaphore.ts';
import { tooManyUploads } from './documents.errors.ts';

/** Runs an upload of at most `size` bytes when there is room. Throws a 503 when too many wait, or it waited too long. */
export type UploadLimiter = <Result>(size: number, upload: () => Promise<Result>) => Promise<Result>;

interface UploadLimits {
  maxRunning: number;
  /** Of all uploads that run together; a larger one runs alone. */
  maxBytes: number;
  maxWaiting: number;
  maxWaitMs?: number;
}

const errors = { full: tooManyUploads, timedOut: tooManyUploads, closed: tooManyUploads };

/** Limits the memory that uploads take, since each holds its whole file. The bodies of waiting uploads stay unread. */
export function createUploadLimiter({
  maxBytes,
  maxWaitMs = 10_000,
  ...limits
}: UploadLimits): UploadLimiter {
  const semaphore = createSemaphore({ ...limits, maxWeight: maxBytes, maxWaitMs, errors });
  return (size, upload) => semaphore.run(upload, { weight: size });
}
