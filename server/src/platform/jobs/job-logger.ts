import { Logger as JobLogger } from 'graphile-worker';
import type { Logger } from '../shared/logger.ts';

export function createJobLogger(logger: Pick<Logger, 'warn' | 'trace'>): JobLogger {
  return new JobLogger(() => (level, message, meta) => {
    if (meta['failure'] === true) return; // a failed job, which the runner logs
    if (level === 'error' || level === 'warning') logger.warn({ err: meta['error'] }, message);
    else logger.trace(message);
  });
}
