import { existsSync } from 'node:fs';
import { connectDatabase, type Database } from '../../platform/database/database.ts';
import { startEmbeddedServer } from '../../platform/database/embedded/embedded-server.ts';
import { readPendingMigrations } from '../../platform/database/migrator.ts';
import { createEncryption, type Encryption } from '../../platform/shared/encryption.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import { type Config, readConfig } from '../config.ts';
import { openEncryptionKeys } from '../encryption-keys.ts';
import { CommandFailed, type CommandInput } from './command.ts';

export interface Deployment {
  config: Config;
  databaseUrl: string;
  encryption: Encryption;
  release(): Promise<void>;
}

/** Commands concern the whole deployment, so the roles of their own process do not matter. */
export const readWholeConfig = (environment: CommandInput['environment']): Config =>
  readConfig({ ...environment, ROLES: 'api,pool,worker' });

/** Opens the configured database, and starts the embedded one if needed. Creates nothing. */
export async function openDeployment(environment: CommandInput['environment']): Promise<Deployment> {
  const config = readWholeConfig(environment);
  const { DATA_DIR: dataDir, DATABASE_URL: url } = config;
  if (url === null && !existsSync(dataDir)) {
    throw new CommandFailed(
      `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL, or run parley start`,
    );
  }
  const { encryptionKeys } = await openEncryptionKeys(config);
  const encryption = createEncryption(...encryptionKeys);
  if (url !== null) return { config, databaseUrl: url, encryption, release: async () => undefined };
  const server = await startEmbeddedServer({ dataDir, encryption, logger: createLogger('warn') });
  return { config, databaseUrl: server.url, encryption, release: server.release };
}

/** Runs `work` on a database whose schema is that of this version. */
export async function withDatabase<Result>(
  { environment }: Pick<CommandInput, 'environment'>,
  work: (deployment: Deployment & { db: Database }) => Promise<Result>,
): Promise<Result> {
  const deployment = await openDeployment(environment);
  try {
    const { databaseUrl } = deployment;
    const pending = await readPendingMigrations(databaseUrl);
    if (pending.length > 0) {
      throw new CommandFailed(
        `The schema of the database is older than this version: run parley migrate, or parley start`,
      );
    }
    const options = { poolSize: 2, applicationName: 'parley command', logger: createLogger('warn') };
    const connection = connectDatabase({ url: databaseUrl, ...options });
    try {
      return await work({ ...deployment, db: connection.db });
    } finally {
      await connection.close();
    }
  } finally {
    await deployment.release();
  }
}
