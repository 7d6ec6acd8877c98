import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { handleConnectionErrors } from '../database/broken-connections.ts';
import type { Logger } from '../shared/logger.ts';
import { jobLogger } from './job-logger.ts';

/**
 * Installs the job queue's schema, or brings it up to date. Every process does so at its start, whatever its roles:
 * enqueueing is a function of this schema. Any number of processes may do so at once.
 */
export async function installJobSchema(
  databaseUrl: string,
  logger: Pick<Logger, 'warn' | 'trace'>,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  handleConnectionErrors(pool, logger, 'an idle connection of the jobs broke');
  try {
    await runMigrations({ pgPool: pool, logger: jobLogger(logger) });
  } finally {
    await pool.end();
  }
}
