import type pg from 'pg';
import type { Logger } from '../shared/logger.ts';

/** Logs that a connection of the pool broke while nobody used it; of one that breaks while it is being closed, nothing. */
export function tellOfBrokenConnections(
  pool: Pick<pg.Pool, 'on' | 'ending'>,
  logger: Pick<Logger, 'warn'>,
  message: string,
): void {
  pool.on('error', (error) => {
    if (pool.ending) return;
    // pg hangs the whole client on it, with every statement that it has prepared.
    Reflect.deleteProperty(error, 'client');
    logger.warn({ err: error }, message);
  });
}
