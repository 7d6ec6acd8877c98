import { createSemaphore } from '../shared/semaphore.ts';
import { tooManyUploads } from './documents.errors.ts';

/** Throws a 503 when too many uploads wait or one waited too long. */
export type UploadLimiter = <Result>(size: number, upload: () => Promise<Result>) => Promise<Result>;

interface UploadLimits {
  maxRunning: number;
  /** Of all uploads that run together. A larger one runs alone. */
  maxBytes: number;
  maxWaiting: number;
  maxWaitMs?: number;
}

const errors = { full: tooManyUploads, timedOut: tooManyUploads, closed: tooManyUploads };

/** Limits memory, since each upload holds its whole file. The bodies of waiting uploads stay unread. */
export function createUploadLimiter({
  maxBytes,
  maxWaitMs = 10_000,
  ...limits
}: UploadLimits): UploadLimiter {
  const semaphore = createSemaphore({ ...limits, maxWeight: maxBytes, maxWaitMs, errors });
  return (size, upload) => semaphore.run(upload, { weight: size });
}
