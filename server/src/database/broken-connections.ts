import type pg from 'pg';
import type { Logger } from '../shared/logger.ts';

/**
 * Keeps a broken connection of the pool from ending the process, which an `error` event without a listener does. Logs that
 * one broke while nobody used it; one that breaks while it is in use fails its statement, and of one that breaks while it
 * is being closed nothing is said.
 */
export function handleConnectionErrors(
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
  pool.on('connect', (client) => client.on('error', () => undefined));
}
