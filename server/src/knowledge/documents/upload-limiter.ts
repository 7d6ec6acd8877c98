import { createSemaphore } from '../../platform/shared/semaphore.ts';
import { tooManyUploads } from './documents.errors.ts';

/** Throws a 503 when too many uploads wait or one waited too long. Callers take turns. */
export type UploadLimiter = <Result>(
  size: number,
  caller: string,
  upload: () => Promise<Result>,
) => Promise<Result>;

interface UploadLimits {
  maxRunning: number;
  /** Of all uploads that run together. A larger one runs alone. */
  maxBytes: number;
  maxWaiting: number;
  maxWaitMs?: number;
}

const errors = { full: tooManyUploads, timedOut: tooManyUploads, closed: tooManyUploads };

/**
 * Limits memory, since each upload holds its whole file. The bodies of waiting uploads stay unread. One caller gets at
 * most half of the memory.
 */
export function createUploadLimiter({
  maxBytes,
  maxWaitMs = 10_000,
  ...limits
}: UploadLimits): UploadLimiter {
  const perGroup = { maxRunning: Math.ceil(limits.maxRunning / 2), maxWeight: maxBytes / 2 };
  const semaphore = createSemaphore({ ...limits, perGroup, maxWeight: maxBytes, maxWaitMs, errors });
  return (size, caller, upload) => semaphore.run(upload, { group: caller, weight: size });
}
