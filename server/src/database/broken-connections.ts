import type pg from 'pg';
import type { Logger } from '../shared/logger.ts';

/**
 * Handles the `error` events of a pool's connections, which would end the process. Logs idle connections that break. A
 * connection in use fails its statement instead.
 */
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
