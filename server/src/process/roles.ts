import { join } from 'node:path';
import { joinSimulator } from '@parley/simulator/joined';
import { nameNetworks } from '../devices/devices.sql.ts';
import { needsBothPlaces } from '../knowledge/bots/knowledge-place.ts';
import { checkProvider, checkSpeech } from '../knowledge/bots/provider-state.ts';
import { fitReaders, memoryForAllReadersMb } from '../knowledge/documents/extraction/fit-readers.ts';
import {
  claimDocumentFolder,
  type DocumentPlace,
  DocumentsElsewhere,
  requireDocumentFolder,
} from '../platform/database/document-folder.ts';
import { migrate } from '../platform/database/migrator.ts';
import type { StartingPorts } from '../platform/http/starting-listener.ts';
import { installJobSchema } from '../platform/jobs/job-schema.ts';
import { startMetricsListener } from '../platform/metrics/metrics-listener.ts';
import { createHosts, findRefusal } from '../platform/shared/hosts.ts';
import type { Logger } from '../platform/shared/logger.ts';
import { adoptEventLog } from '../records/events/event-log.sql.ts';
import { ensureFirstKey } from '../tenancy/api-keys/first-key.ts';
import { ensureSetUpLink } from '../tenancy/people/first-owner.ts';
import { hostsSimulator, listedHosts } from './config.ts';
import { startConsole } from './console/start-console.ts';
import { type Adapters, type Context, createAdapters, createContext, type Replacements } from './context.ts';
import { findDocumentPlace, onlyInPlace } from './document-place.ts';
import type { Database, OpenDatabaseOptions } from './open-database.ts';

export interface Addresses {
  api?: string;
  pool?: string;
  simulator?: string;
  metrics?: string;
  roles: string[];
}

export interface StartOptions extends OpenDatabaseOptions {
  ports: StartingPorts;
  replacements?: Replacements;
}

/** How long a stopping api serves keep-alive connections. */
const lingerMs = 500;

/** The database is null only for the simulator alone, which needs none. */
export async function startRolesOn(database: Database | null, options: StartOptions): Promise<Addresses> {
  const { config, started, replacements } = options;
  const addresses: Addresses = { roles: [...config.ROLES] };
  const api = { url: config.BASE_URL };
  const simulatorUrl = await openSimulator(options, () => api.url);
  if (hostsSimulator(config)) addresses.simulator = simulatorUrl();
  if (database === null) return addresses;

  const context = await openContext(options, database);
  const usesDocuments = config.ROLES.has('api') || config.ROLES.has('worker');
  const usesBothPlaces = usesDocuments && (await needsBothPlaces(context.db, config));
  const adapters = await createAdapters(context, replacements, usesBothPlaces);
  const place = findDocumentPlace(config, adapters.fileStore);
  if (usesDocuments) {
    await claimDocumentFolder({ ...context, place });
    if (hasReaders(options)) void adapters.findReaderLaunch();
    void checkProvider(adapters.provider, options.logger);
    if (adapters.speechService !== null) void checkSpeech(adapters.speechService, options.logger);
  }
  await options.ports.release(config.METRICS_PORT);
  const metricsUrl = await openMetrics(options, context);
  if (metricsUrl !== null) addresses.metrics = metricsUrl;
  if (config.ROLES.has('pool')) {
    if (!usesDocuments) await warnOfOtherFolder(context, place);
    const fileStore = onlyInPlace(adapters.fileStore, context.db, place);
    await options.ports.release(config.POOL_PORT);
    const { composePool } = await import('./compose/pool.ts');
    const pool = await composePool(context, { fileStore }, simulatorUrl, replacements?.network);
    started.defer(() => pool.close());
    addresses.pool = pool.url;
  }
  if (config.ROLES.has('worker')) {
    const { composeWorker } = await import('./compose/worker.ts');
    const worker = await composeWorker(context, adapters);
    started.defer(() => worker.close());
  }
  if (config.ROLES.has('api')) {
    await ensureKeyExists(context);
    addresses.api = await startApi(options, context, adapters, simulatorUrl);
    api.url ??= addresses.api;
    await offerSetUp(context, api.url);
  }
  return addresses;
}

/** Logs if the memory limit of the container leaves fewer readers than usual. */
function hasReaders({ config, logger }: Pick<StartOptions, 'config' | 'logger'>): boolean {
  const fitting = fitReaders(config);
  const full = fitReaders(config, Number.POSITIVE_INFINITY);
  const neededMiB = memoryForAllReadersMb(config);
  if (fitting.concurrency === 0)
    logger.error({ neededMiB }, 'no document reader fits into the memory limit; documents are refused');
  else if (fitting.memoryMb < full.memoryMb || fitting.concurrency < full.concurrency)
    logger.warn({ ...fitting, neededMiB }, 'the memory limit leaves fewer or smaller document readers');
  return fitting.concurrency > 0;
}

async function startApi(
  options: StartOptions,
  context: Context,
  adapters: Adapters,
  simulatorUrl: () => string,
): Promise<string> {
  const { config, started } = options;
  const { composeApi } = await import('./compose/api.ts');
  const api = await composeApi(context, adapters, {
    console: startConsole(options),
    ...(simulatorUrl() === '' ? {} : { simulatorUrl }),
  });
  started.defer(() => api.close(lingerMs));
  void api.warmUp();
  await options.ports.release(config.PORT);
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
  if (!config.MESSAGING_NETWORK.includes('simulator')) return () => '';
  if (!hostsSimulator(config)) return () => config.SIMULATOR_URL ?? '';
  const hosts = createHosts(listedHosts(config));
  const simulator = await joinSimulator({
    dataDir: join(config.DATA_DIR, 'simulator'),
    host: '127.0.0.1',
    port: config.SIMULATOR_PORT,
    publicUrl: () => publicUrl() ?? simulator.url(),
    refuse: (headers) => findRefusal(hosts, headers),
    logger,
  });
  started.defer(() => simulator.close());
  return simulator.url;
}

async function openMetrics(
  { config, started }: StartOptions,
  { hosts, metrics }: Pick<Context, 'hosts' | 'metrics'>,
): Promise<string | null> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === null) return null;
  const listener = await startMetricsListener({ host, port, expose: metrics.expose, hosts });
  started.defer(() => listener.close());
  return listener.url;
}

async function openContext(
  { config, logger, started, replacements }: StartOptions,
  database: Database,
): Promise<Context> {
  const { databaseUrl } = database;
  await migrate(databaseUrl, { logger });
  await installJobSchema(databaseUrl, logger);
  const clock = replacements?.clock;
  const onDatabaseUnusable = (reason: string, found: object) => endAtOnce(logger, reason, found);
  const context = await createContext({
    ...database,
    config,
    onDatabaseUnusable,
    logger,
    clock,
  });
  started.defer(() => context.close());
  await nameNetworks(context.db, context.networks.of({ network: null }));
  const { isMoved } = await adoptEventLog(context.db);
  if (isMoved) logger.warn('the database was moved to another server; earlier cursors of events are refused');
  return context;
}

/** A regular stop would release leases and claims in a database that this process knows nothing about. */
function endAtOnce(logger: Logger, reason: string, found: object): never {
  logger.fatal(found, `${reason}; ending at once`);
  process.exit(1);
}

/** A pool without the files works: it stores large media in the database, and a worker moves them. It cannot send large media. */
async function warnOfOtherFolder({ db, logger }: Context, place: DocumentPlace): Promise<void> {
  try {
    await requireDocumentFolder(db, place);
  } catch (error) {
    if (!(error instanceof DocumentsElsewhere)) throw error;
    logger.error(
      { err: error },
      'this pool cannot send media over 64 KiB until it shares the files of the api',
    );
  }
}

/** Prints a generated key to a terminal. Elsewhere, standard output is part of the log, which must not contain the secret. */
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
  if (process.stdout.isTTY)
    process.stdout.write(
      `First API key: ${generated.keyId} ${generated.secret} (also in ${generated.file})\n`,
    );
  logger.info({ file: generated.file }, 'the first API key was generated; its secret is in this file');
}

/** Prints the link to a terminal, and elsewhere only the name of the file that has it, because standard output is part of the log. */
async function offerSetUp({ config, db, logger }: Context, baseUrl: string): Promise<void> {
  const link = await ensureSetUpLink({ db, dataDir: config.DATA_DIR, baseUrl });
  if (link === null) return;
  if (process.stdout.isTTY) process.stdout.write(`Set up Parley: ${link.url} (also in ${link.file})\n`);
  logger.info({ file: link.file }, 'no owner can sign in yet; a link in this file creates one');
}
