import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { handleConnectionErrors } from '../database/broken-connections.ts';
import type { Logger } from '../shared/logger.ts';
import { createJobLogger } from './job-logger.ts';

/** Installs or updates the job queue's schema, which every role needs to enqueue. Concurrent calls are safe. */
export async function installJobSchema(
  databaseUrl: string,
  logger: Pick<Logger, 'warn' | 'trace'>,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  handleConnectionErrors(pool, logger, 'an idle connection of the jobs broke');
  try {
    await runMigrations({ pgPool: pool, logger: createJobLogger(logger) });
  } finally {
    await pool.end();
  }
}
