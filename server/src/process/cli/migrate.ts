import { migrate } from '../../platform/database/migrator.ts';
import { installJobSchema } from '../../platform/jobs/job-schema.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import type { CommandInput } from './command.ts';
import { openDeployment } from './open-deployment.ts';

export async function runMigrations({ environment, print }: CommandInput): Promise<number> {
  const { databaseUrl, release } = await openDeployment(environment);
  try {
    const applied = await migrate(databaseUrl);
    await installJobSchema(databaseUrl, createLogger('warn'));
    print(applied.length === 0 ? 'The schema is up to date.' : `Applied migrations ${applied.join(', ')}.`);
    return 0;
  } finally {
    await release();
  }
}
