import { Logger as JobLogger } from 'graphile-worker';
import type { Logger } from '../shared/logger.ts';

/** The job library's words in our log: its troubles as warnings, the rest at trace. */
export function jobLogger(logger: Pick<Logger, 'warn' | 'trace'>): JobLogger {
  return new JobLogger(() => (level, message, meta) => {
    if (meta['failure'] === true) return; // a failed job: the runner has said so
    if (level === 'error' || level === 'warning') logger.warn({ err: meta['error'] }, message);
    else logger.trace(message);
  });
}
