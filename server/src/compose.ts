import { availableParallelism } from 'node:os';
import { accessTokenRoutes } from './access-tokens/access-tokens.routes.ts';
import { createAccessTokens } from './access-tokens/access-tokens.ts';
import { createAuthenticator } from './access-tokens/authenticator.ts';
import type { AssistantProvider } from './adapters/assistant-provider/assistant-provider.ts';
import { createAssistantProvider } from './adapters/assistant-provider/create-assistant-provider.ts';
import { createFileStore } from './adapters/file-store/create-file-store.ts';
import type { FileStore } from './adapters/file-store/file-store.ts';
import { createMessagingNetwork } from './adapters/messaging-network/create-messaging-network.ts';
import type { MessagingNetwork } from './adapters/messaging-network/messaging-network.ts';
import { supportedContent } from './adapters/messaging-network/supported-content.ts';
import type { Speech } from './adapters/speech/speech.ts';
import { answerWithNewCreditsJob } from './answering/answering.jobs.ts';
import { startAnswering } from './answering/answering.ts';
import { askRoutes } from './answering/ask.routes.ts';
import { createActionCaller } from './answering/call-action.ts';
import { createRewrite } from './answering/rewrite.ts';
import { apiKeyRoutes } from './api-keys/api-keys.routes.ts';
import { createKeyStates } from './api-keys/key-states.ts';
import { createKeyUses } from './api-keys/key-uses.ts';
import { type BotLoader, createBotLoader } from './bots/bot-loader.ts';
import { reconcileBotsJob } from './bots/bots.jobs.ts';
import { botRoutes } from './bots/bots.routes.ts';
import type { Config } from './config.ts';
import { conversationRoutes } from './conversations/conversations.routes.ts';
import { connectDatabase, type Database } from './database/database.ts';
import { isDatabaseReachable, readInstallationId } from './database/installation.queries.ts';
import { type Notifications, startNotifications } from './database/notifications.ts';
import { connectionRoutes } from './devices/connection.routes.ts';
import { createDeviceTokens } from './devices/device-token.ts';
import { deviceRoutes } from './devices/devices.routes.ts';
import { createDeviceReader } from './devices/devices.ts';
import { documentJobs } from './documents/documents.jobs.ts';
import { documentRoutes } from './documents/documents.routes.ts';
import { createExtractor, type Extractor } from './documents/extraction/extractor.ts';
import { externalCleanupJobs } from './external-cleanup/external-cleanup.jobs.ts';
import { createApp } from './http/app.ts';
import { installDrain } from './http/drain.ts';
import type { App, Routes } from './http/fastify-app.ts';
import { healthRoutes } from './http/health.routes.ts';
import { idempotencyJobs } from './http/idempotency/idempotency.jobs.ts';
import { createIdempotency, type Idempotency } from './http/idempotency/idempotency.ts';
import { createRequestRate } from './http/limits/request-rate.ts';
import { simulatorRoutes } from './http/simulator.routes.ts';
import { startJobRunner } from './jobs/runner.ts';
import { messageRoutes } from './messages/messages.routes.ts';
import { sendRoutes } from './messages/send.routes.ts';
import { metricsRoutes } from './metrics/metrics.routes.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { installRequestMetrics } from './metrics/request-metrics.ts';
import { createOutbound } from './outbound/outbound.ts';
import { planRoutes } from './plans/plans.routes.ts';
import { type Pool, startPool } from './pool/pool.ts';
import { poolRoutes } from './pools/pools.routes.ts';
import { type Clock, systemClock } from './shared/clock.ts';
import { createEncryption, type Encryption } from './shared/encryption.ts';
import { createFaultPoint, type FaultPoint } from './shared/fault-points.ts';
import type { Logger } from './shared/logger.ts';
import { teamRoutes } from './teams/teams.routes.ts';
import { usageRoutes } from './usage/usage.routes.ts';

/** Operations fail after 25 s. The provider may use this much of that time. */
const providerDeadlineMs = 20_000;

/** Components that every role uses. One per process. */
export interface Context {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  clock: Clock;
  faultPoint: FaultPoint;
  encryption: Encryption;
  databaseUrl: string;
  installationId: string;
  db: Database;
  notifications: Notifications;
  /** Disconnects from the database. Call it after all roles have stopped. */
  close(): Promise<void>;
}

/** External systems that the api and the worker share. */
export interface Adapters {
  fileStore: FileStore;
  provider: AssistantProvider;
  /** Published bots. One cache serves all roles. */
  bots: BotLoader;
  /** Null if there is no speech adapter or the messaging network carries no voice notes. */
  speech: Speech | null;
}

/** Test doubles that replace configured components. */
export interface Replacements {
  clock?: Clock;
  fileStore?: FileStore;
  provider?: AssistantProvider;
  speech?: Speech;
  network?: MessagingNetwork;
}

/** Connects to a migrated database. */
export async function createContext({
  config,
  databaseUrl,
  encryptionKey,
  logger,
  clock = systemClock,
}: {
  config: Config;
  databaseUrl: string;
  encryptionKey: Uint8Array;
  logger: Logger;
  clock?: Clock | undefined;
}): Promise<Context> {
  const connection = connectDatabase({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: `parley ${[...config.ROLES].join(',')}`,
    logger,
  });
  const { db } = connection;
  const installationId = await readInstallationId(db).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const faultPoint = createFaultPoint(config.FAULT_POINT);
  const notifications = startNotifications({ url: databaseUrl, logger, faultPoint });
  return {
    config,
    logger,
    metrics: createMetrics({ db, token: config.METRICS_TOKEN }),
    clock,
    faultPoint,
    encryption: createEncryption(encryptionKey),
    databaseUrl,
    installationId,
    db,
    notifications,
    async close() {
      await notifications.close();
      await connection.close();
    },
  };
}

export function createAdapters(
  {
    config,
    databaseUrl,
    db,
    encryption,
    installationId,
  }: Pick<Context, 'config' | 'databaseUrl' | 'db' | 'encryption' | 'installationId'>,
  replacements: Replacements = {},
): Adapters {
  const provider =
    replacements.provider ??
    createAssistantProvider({ name: config.ASSISTANT_PROVIDER, db, databaseUrl, installationId });
  return {
    fileStore:
      replacements.fileStore ?? createFileStore({ fileStore: config.FILE_STORE, dataDir: config.DATA_DIR }),
    provider,
    bots: createBotLoader({ db, encryption, provider, providerDeadlineMs }),
    speech: supportedContent[config.MESSAGING_NETWORK].has('voice') ? (replacements.speech ?? null) : null,
  };
}

/** The api role, not yet listening. */
export interface Api {
  app: App;
  /** Rejects new requests and finishes running ones. Keep-alive clients get responses for another `lingerMs`. */
  close(lingerMs?: number): Promise<void>;
}

interface ApiOptions {
  /** Target of `/simulator`. Absent unless the messaging network is the simulator. */
  simulatorUrl?: () => string;
  /** Routes to serve instead of all resources, for tests. */
  resources?: readonly Routes[];
}

export async function composeApi(
  context: Context,
  adapters: Adapters,
  options: ApiOptions = {},
): Promise<Api> {
  const { clock, config, db, encryption, installationId, logger, metrics, notifications } = context;
  const limitPerMinute = config.RATE_LIMIT_PER_MINUTE;
  const keyStates = createKeyStates({ db, notifications });
  const keyUses = createKeyUses({ db, clock, logger });
  const accessTokens = createAccessTokens({ signingKey: encryption.signingKey, installationId, clock });
  const idempotency = createIdempotency(context);
  const extractor = createExtractor({ ...extractionLimits, logger });
  let drain = async (_lingerMs: number): Promise<void> => undefined;
  const app = await createApp({
    logger,
    authenticate: createAuthenticator({ accessTokens, keyStates, keyUses, clock }),
    requestRate: limitPerMinute === 0 ? null : createRequestRate({ db, limitPerMinute }),
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: config.CORS_ORIGINS,
    routes: [
      healthRoutes({ ready: () => isDatabaseReachable(db) }),
      metricsRoutes({ expose: metrics.expose }),
      accessTokenRoutes({ db, encryption, accessTokens, keyUses, clock }),
      apiKeyRoutes({ db, idempotency, encryption, notifications, clock }),
      ...(options.resources ?? resourceRoutes(context, adapters, { idempotency, extractor })),
      ...(options.simulatorUrl === undefined
        ? []
        : [simulatorRoutes({ simulatorUrl: options.simulatorUrl })]),
    ],
    prepare: (prepared) => {
      drain = installDrain(prepared);
      installRequestMetrics(prepared, metrics.requests);
    },
  });
  return {
    app,
    async close(lingerMs = 0) {
      await drain(lingerMs);
      await app.close();
      await extractor.close();
      keyStates.close();
      await keyUses.close();
    },
  };
}

/**
 * An idle extraction process takes about 90 MiB, and 144 MiB after PDFs. 600 pages take about 3 s. One processor stays
 * free for requests.
 */
const extractionLimits = {
  concurrency: Math.max(1, Math.min(availableParallelism() - 1, 2)),
  memoryMb: 512,
  processorMs: 10_000,
};

function resourceRoutes(
  { clock, config, db, encryption, faultPoint, logger, notifications }: Context,
  { bots, fileStore, provider, speech }: Adapters,
  { idempotency, extractor }: { idempotency: Idempotency; extractor: Extractor },
): Routes[] {
  const readDevice = createDeviceReader(db);
  const getDeviceToken = createDeviceTokens(encryption);
  const outbound = createOutbound({ allowedHosts: config.ACTION_ALLOWED_HOSTS });
  const uploads = { idempotency, faultPoint, extractor, maxUploadBytes: config.MAX_UPLOAD_BYTES };
  return [
    planRoutes({ db }),
    teamRoutes({ db, idempotency, notifications }),
    usageRoutes({ db, clock }),
    documentRoutes({ db, fileStore, provider, providerDeadlineMs, ...uploads }),
    botRoutes({ db, idempotency, faultPoint, encryption, provider, providerDeadlineMs }),
    deviceRoutes({ db, idempotency, notifications, readDevice, getDeviceToken }),
    connectionRoutes({ db, notifications, readDevice, getDeviceToken }),
    poolRoutes({ db }),
    messageRoutes({ db }),
    conversationRoutes({ db, idempotency, notifications }),
    sendRoutes({
      db,
      idempotency,
      faultPoint,
      clock,
      notifications,
      logger,
      sources: {
        fetchImage: supportedContent[config.MESSAGING_NETWORK].has('image') ? outbound.fetchImage : null,
        speech,
        rewrite: createRewrite({ db, provider, bots, clock }),
      },
    }),
    askRoutes({
      db,
      faultPoint,
      bots,
      provider,
      callAction: createActionCaller({ outbound }),
      clock,
      providerDeadlineMs,
    }),
  ];
}

/** The pool role. `network` replaces the configured messaging network. */
export async function composePool(
  context: Context,
  simulatorUrl: () => string,
  network?: MessagingNetwork,
): Promise<Pool> {
  const { config, databaseUrl, db, encryption, faultPoint, logger, metrics, notifications } = context;
  const { MESSAGING_NETWORK: messagingNetwork, WHATSAPP_VERSION: whatsappVersion } = config;
  const hostedNetwork =
    network ?? (await createMessagingNetwork({ messagingNetwork, simulatorUrl, whatsappVersion }, logger));
  const leaseConnection = connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'parley lease',
    keepIdle: true,
    responseTimeoutMs: (config.LEASE_SECONDS * 1000) / 3, // leaves time to renew on another connection
    logger,
  });
  const pool = await startPool({
    db,
    leaseDb: leaseConnection.db,
    network: hostedNetwork,
    notifications,
    encryption,
    faultPoint,
    metrics,
    logger,
    config: {
      host: config.POOL_HOST,
      port: config.POOL_PORT,
      url: config.POOL_URL,
      capacity: config.POOL_CAPACITY,
      leaseSeconds: config.LEASE_SECONDS,
    },
  });
  return {
    url: pool.url,
    async close() {
      await pool.close();
      await leaseConnection.close();
      await hostedNetwork.close();
    },
  };
}

/** Jobs that a worker runs at once. They mostly wait for external systems. */
const jobConcurrency = 4;

/** The worker role: answering and durable jobs. */
export async function composeWorker(
  { clock, config, databaseUrl, db, faultPoint, logger, metrics, notifications }: Context,
  { bots, fileStore, provider, speech }: Adapters,
): Promise<{ close(): Promise<void> }> {
  const outbound = createOutbound({ allowedHosts: config.ACTION_ALLOWED_HOSTS });
  const extractor = createExtractor({ ...extractionLimits, logger });
  const answering = startAnswering({
    db,
    provider,
    bots,
    callAction: createActionCaller({ outbound }),
    notifications,
    clock,
    logger,
    faultPoint,
    metrics,
    speech,
    extractor,
    leaseSeconds: config.LEASE_SECONDS,
  });
  const runner = await startJobRunner({
    databaseUrl,
    db,
    logger,
    meters: metrics.jobs,
    concurrency: jobConcurrency,
    leaseSeconds: config.LEASE_SECONDS,
    jobs: [
      ...documentJobs({ db, provider, logger }),
      ...externalCleanupJobs({ db, provider, fileStore, clock, logger, faultPoint }),
      reconcileBotsJob({ db }),
      ...idempotencyJobs({ db }),
      answerWithNewCreditsJob({ db, clock }),
    ],
  });
  return {
    async close() {
      await answering.close();
      await runner.stop();
      await extractor.close();
    },
  };
}
