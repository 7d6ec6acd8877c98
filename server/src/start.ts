import { join } from 'node:path';
import { joinSimulator } from '@parley/simulator/joined';
import { ensureFirstKey } from './api-keys/first-key.ts';
import {
  type Adapters,
  type Context,
  composeApi,
  composePool,
  composeWorker,
  createAdapters,
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

export interface Addresses {
  api?: string;
  pool?: string;
  simulator?: string;
  metrics?: string;
  roles: string[];
}

/** How long a stopping api serves keep-alive connections. */
const lingerMs = 500;

interface StartOptions {
  config: Config;
  logger: Logger;
  /** Collects a disposer for everything that was started. */
  started: AsyncDisposableStack;
  replacements?: Replacements;
}

/** Starts the roles in order of dependency. If a start fails, the caller disposes `started`. */
export async function startRoles(options: StartOptions): Promise<Addresses> {
  const { config, started, replacements } = options;
  const addresses: Addresses = { roles: [...config.ROLES] };
  const api = { url: config.BASE_URL };
  await openDataDirectory(config.DATA_DIR);
  const simulatorUrl = await openSimulator(options, () => api.url);
  if (hostsSimulator(config)) addresses.simulator = simulatorUrl();
  if (config.ROLES.size === 1 && config.ROLES.has('simulator')) return addresses;

  const context = await openContext(options);
  const adapters = createAdapters(context, replacements);
  if (config.ROLES.has('api') || config.ROLES.has('worker')) {
    await claimDocumentFolder({ ...context, dataDir: config.DATA_DIR });
  }
  const metricsUrl = await openMetrics(options, context);
  if (metricsUrl !== null) addresses.metrics = metricsUrl;
  if (config.ROLES.has('pool')) {
    const pool = await composePool(context, simulatorUrl, replacements?.network);
    started.defer(() => pool.close());
    addresses.pool = pool.url;
  }
  if (config.ROLES.has('worker')) {
    const worker = await composeWorker(context, adapters);
    started.defer(() => worker.close());
  }
  if (config.ROLES.has('api')) {
    await ensureKeyExists(context);
    addresses.api = await startApi(options, context, adapters, simulatorUrl);
    api.url ??= addresses.api;
  }
  return addresses;
}

async function startApi(
  { config, started }: StartOptions,
  context: Context,
  adapters: Adapters,
  simulatorUrl: () => string,
): Promise<string> {
  const api = await composeApi(context, adapters, simulatorUrl() === '' ? {} : { simulatorUrl });
  started.defer(() => api.close(lingerMs));
  return api.app.listen({
    host: config.HOST,
    port: config.PORT,
    listenTextResolver: (address) => `the partner API listens on ${address}`,
  });
}

/** Returns a function, because another process on DATA_DIR can take over the simulator under a new URL. */
async function openSimulator(
  { config, logger, started }: StartOptions,
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

async function openMetrics(
  { config, started }: StartOptions,
  { metrics }: Pick<Context, 'metrics'>,
): Promise<string | null> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === null) return null;
  const listener = await startMetricsListener({ host, port, expose: metrics.expose });
  started.defer(() => listener.close());
  return listener.url;
}

async function openContext(options: StartOptions): Promise<Context> {
  const { config, logger, started, replacements } = options;
  const databaseUrl = config.DATABASE_URL ?? (await openEmbeddedDatabase(options));
  await migrate(databaseUrl, { logger });
  await installJobSchema(databaseUrl, logger);
  const encryptionKey = config.ENCRYPTION_KEY ?? (await readOrCreateEncryptionKey(config.DATA_DIR));
  const clock = replacements?.clock;
  const context = await createContext({ config, databaseUrl, encryptionKey, logger, clock });
  started.defer(() => context.close());
  const source = config.ENCRYPTION_KEY === null ? encryptionKeyFile(config.DATA_DIR) : 'ENCRYPTION_KEY';
  await checkEncryptionKey({ ...context, source });
  return context;
}

async function openEmbeddedDatabase({ config, logger, started }: StartOptions): Promise<string> {
  const server = await startEmbeddedServer({ dataDir: config.DATA_DIR, logger });
  started.defer(() => server.release());
  return server.url;
}

/** Prints a generated key to standard output. The log must not contain its secret. */
async function ensureKeyExists({
  config,
  db,
  encryption,
  logger,
}: Pick<Context, 'config' | 'db' | 'encryption' | 'logger'>): Promise<void> {
  const { BOOTSTRAP_KEY_ID: keyId, BOOTSTRAP_KEY_SECRET: secret } = config;
  const given = keyId === null || secret === null ? null : { keyId, secret };
  const generated = await ensureFirstKey({ db, encryption, given, dataDir: config.DATA_DIR });
  if (generated === null) return;
  process.stdout.write(`First API key: ${generated.keyId} ${generated.secret} (also in ${generated.file})\n`);
  logger.info({ file: generated.file }, 'the first API key was generated; its secret is not shown again');
}
