import { join } from 'node:path';
import { joinSimulator } from '@parley/simulator/joined';
import { ensureFirstKey } from './api-keys/first-key.ts';
import {
  type Context,
  composeApi,
  composePool,
  composeWorker,
  createContext,
  type Replacements,
} from './compose.ts';
import { type Config, hostsSimulator } from './config.ts';
import { claimDocumentFolder } from './database/document-folder.ts';
import { startEmbeddedServer } from './database/embedded/embedded-server.ts';
import { checkEncryptionKey } from './database/encryption-key-check.ts';
import { migrate } from './database/migrator.ts';
import { installJobSchema } from './jobs/job-schema.ts';
import { startMetricsListener } from './metrics/metrics-listener.ts';
import { openDataDirectory } from './shared/data-directory.ts';
import { encryptionKeyFile, readOrCreateEncryptionKey } from './shared/encryption-key.ts';
import type { Logger } from './shared/logger.ts';

/** What was started, by role, and where it listens. */
export interface Addresses {
  api?: string;
  pool?: string;
  simulator?: string;
  metrics?: string;
  roles: string[];
}

/** For clients with a kept-alive connection, when this process stops. */
const lingerMs = 500;

interface Starting {
  config: Config;
  logger: Logger;
  /** Everything started puts its end on this; ended in reverse order. */
  started: AsyncDisposableStack;
  replacements?: Replacements;
}

/**
 * Starts this process's roles in the order in which they need one another: simulated network, database, pool, worker,
 * api. What was started before a failure is on `started` for the caller to end.
 */
export async function startRoles(starting: Starting): Promise<Addresses> {
  const { config, started } = starting;
  const addresses: Addresses = { roles: [...config.ROLES] };
  const own = { baseUrl: config.BASE_URL };
  await openDataDirectory(config.DATA_DIR);
  const simulatorUrl = await openSimulator(starting, () => own.baseUrl);
  if (hostsSimulator(config)) addresses.simulator = simulatorUrl();
  if (config.ROLES.size === 1 && config.ROLES.has('simulator')) return addresses;

  const context = await openContext(starting);
  if (config.ROLES.has('api') || config.ROLES.has('worker')) {
    await claimDocumentFolder({ ...context, dataDir: config.DATA_DIR });
  }
  const metrics = await openMetrics(starting, context);
  if (metrics !== null) addresses.metrics = metrics;
  if (config.ROLES.has('pool')) {
    const pool = await composePool(context, simulatorUrl);
    started.defer(() => pool.close());
    addresses.pool = pool.url;
  }
  if (config.ROLES.has('worker')) {
    const worker = await composeWorker(context);
    started.defer(() => worker.close());
  }
  if (config.ROLES.has('api')) {
    await openFirstKey(context);
    const api = await composeApi(context, simulatorUrl() === '' ? {} : { simulatorUrl });
    started.defer(() => api.close(lingerMs));
    addresses.api = await api.app.listen({
      host: config.HOST,
      port: config.PORT,
      listenTextResolver: (address) => `the partner API is up at ${address}`,
    });
    own.baseUrl ??= addresses.api;
  }
  return addresses;
}

/**
 * Joins the simulated network under DATA_DIR, or takes the address of one elsewhere (`''`: the network is another).
 * Answers where it is at any time, since of several programs on one DATA_DIR the survivors take it over.
 */
async function openSimulator(
  { config, logger, started }: Starting,
  publicUrl: () => string | null,
): Promise<() => string> {
  if (config.MESSAGING_NETWORK !== 'simulator') return () => '';
  if (!hostsSimulator(config)) return () => config.SIMULATOR_URL ?? '';
  const simulator = await joinSimulator({
    dataDir: join(config.DATA_DIR, 'simulator'),
    host: '127.0.0.1',
    port: config.SIMULATOR_PORT,
    publicUrl: () => publicUrl() ?? simulator.url(),
    logger,
  });
  started.defer(() => simulator.close());
  return simulator.url;
}

/** Where the metrics are served by themselves; null where that was not asked for. */
async function openMetrics({ config, started }: Starting, context: Context): Promise<string | null> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === null) return null;
  const listener = await startMetricsListener({ host, port, expose: context.metrics.expose });
  started.defer(() => listener.close());
  return listener.url;
}

/** A migrated database, embedded or outside, and everything that every role stands on. */
async function openContext({ config, logger, started, replacements = {} }: Starting): Promise<Context> {
  const databaseUrl = config.DATABASE_URL ?? (await openEmbeddedDatabase({ config, logger, started }));
  await migrate(databaseUrl, { logger });
  await installJobSchema(databaseUrl, logger);
  const encryptionKey = config.ENCRYPTION_KEY ?? (await readOrCreateEncryptionKey(config.DATA_DIR));
  const context = await createContext({ config, databaseUrl, encryptionKey, logger, replacements });
  started.defer(() => context.close());
  const source = config.ENCRYPTION_KEY === null ? encryptionKeyFile(config.DATA_DIR) : 'ENCRYPTION_KEY';
  await checkEncryptionKey({ ...context, source });
  return context;
}

async function openEmbeddedDatabase({ config, logger, started }: Starting): Promise<string> {
  const server = await startEmbeddedServer({ dataDir: config.DATA_DIR, logger });
  started.defer(() => server.release());
  return server.url;
}

/** The one line on standard output that is not JSON: a generated key is shown once, and only to who started this. */
async function openFirstKey({ config, db, encryption, logger }: Context): Promise<void> {
  const { BOOTSTRAP_KEY_ID: keyId, BOOTSTRAP_KEY_SECRET: secret } = config;
  const given = keyId === null || secret === null ? null : { keyId, secret };
  const generated = await ensureFirstKey({ db, encryption, given, dataDir: config.DATA_DIR });
  if (generated === null) return;
  process.stdout.write(`First API key: ${generated.keyId} ${generated.secret} (also in ${generated.file})\n`);
  logger.info({ file: generated.file }, 'the first API key was generated; its secret is not shown again');
}
