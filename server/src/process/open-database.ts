import { startEmbeddedServer } from '../platform/database/embedded/embedded-server.ts';
import { requireUsableServer } from '../platform/database/server-requirements.ts';
import { waitForDatabase } from '../platform/database/wait-for-database.ts';
import { createEncryption, type Encryption } from '../platform/shared/encryption.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { Config } from './config.ts';
import { openEncryptionKeys } from './encryption-keys.ts';

export interface OpenDatabaseOptions {
  config: Config;
  logger: Logger;
  /** Collects a disposer for everything that was started. */
  started: AsyncDisposableStack;
  /** Aborts when the process shall stop. */
  stopping?: AbortSignal;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Waits for the database of DATABASE_URL, or starts the embedded one. */
export async function openDatabase(options: OpenDatabaseOptions) {
  const { config } = options;
  const { encryptionKeys, keySource } = await openEncryptionKeys(config);
  if (config.DATABASE_URL !== null) {
    await waitUntilReachable(options, config.DATABASE_URL);
    await requireUsableServer(config.DATABASE_URL);
  }
  const databaseUrl =
    config.DATABASE_URL ?? (await openEmbeddedDatabase(options, createEncryption(...encryptionKeys)));
  return { encryptionKeys, keySource, databaseUrl };
}

async function waitUntilReachable(
  { config, logger, stopping }: OpenDatabaseOptions,
  url: string,
): Promise<void> {
  const { STARTUP_WAIT_SECONDS: seconds } = config;
  await waitForDatabase(url, {
    seconds,
    signal: stopping ?? new AbortController().signal,
    onAway(error) {
      logger.warn({ err: error, seconds }, 'the database cannot be reached; waiting for it');
    },
  });
}

async function openEmbeddedDatabase(
  { config, logger, started }: OpenDatabaseOptions,
  encryption: Encryption,
): Promise<string> {
  const server = await startEmbeddedServer({ dataDir: config.DATA_DIR, encryption, logger });
  started.defer(() => server.release());
  return server.url;
}
