import type pg from 'pg';
import type { Logger } from '../shared/logger.ts';

/** Logs idle connections that break. Without a listener the event would end the process. */
export function handleConnectionErrors(
  pool: Pick<pg.Pool, 'on' | 'ending'>,
  logger: Pick<Logger, 'warn'>,
  message: string,
): void {
  pool.on('error', (error) => {
    if (pool.ending) return;
    // pg attaches the client with all its prepared statements.
    Reflect.deleteProperty(error, 'client');
    logger.warn({ err: error }, message);
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
}
