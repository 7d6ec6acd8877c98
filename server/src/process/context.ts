import type { ClientBase } from 'pg';
import type { AssistantProvider } from '../knowledge/assistant-provider/assistant-provider.ts';
import type { KnowledgePlaces } from '../knowledge/assistant-provider/both-places.ts';
import {
  type AssistantProviderSettings,
  createAssistantProvider,
  createProviders,
} from '../knowledge/assistant-provider/create-assistant-provider.ts';
import { type BotLoader, createBotLoader } from '../knowledge/bots/bot-loader.ts';
import { createPlaceFinder, holdKnowledgePlace } from '../knowledge/bots/knowledge-place.ts';
import { findReaderLaunch, type ReaderLaunch } from '../knowledge/documents/extraction/reader-isolation.ts';
import { createQuestionGroups, type GroupQuestions } from '../knowledge/search/question-groups.ts';
import { recordRetrievalSpan } from '../knowledge/search/retrieval-spans.ts';
import { connectDatabase, type Database, type DatabaseConnection } from '../platform/database/database.ts';
import { readInstallationId } from '../platform/database/installation.queries.ts';
import { createInstallationCheck } from '../platform/database/installation-check.ts';
import { readSchemaVersion } from '../platform/database/migrations.ts';
import { type Notifications, startNotifications } from '../platform/database/notifications.ts';
import { createReadList, type ReadList } from '../platform/database/read-list.ts';
import { showSchemaStatement } from '../platform/database/schema-users.ts';
import { type Keyring, openKeyring } from '../platform/keyring/keyring.ts';
import { type Clock, systemClock } from '../platform/shared/clock.ts';
import { createEncryption, type Encryption, type KeyedHash } from '../platform/shared/encryption.ts';
import type { EncryptionKeys } from '../platform/shared/encryption-key.ts';
import { armFaultPoints } from '../platform/shared/fault-points.ts';
import { createHosts, type Hosts } from '../platform/shared/hosts.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { RecordSpan } from '../platform/telemetry/spans.ts';
import { startTelemetry } from '../platform/telemetry/telemetry.ts';
import { createEmbedding } from '../ports/embedding/create-embedding.ts';
import { createGuardedEmbedding, type GuardedEmbedding } from '../ports/embedding/guarded-embedding.ts';
import { createSentenceEncoder } from '../ports/embedding/sentence-encoder.ts';
import { createFileStore } from '../ports/file-store/create-file-store.ts';
import type { FileStore } from '../ports/file-store/file-store.ts';
import type { OnModelCall } from '../ports/language-model/guarded-model.ts';
import { recordModelSpan } from '../ports/language-model/model-spans.ts';
import { createMailer } from '../ports/mail/create-mail.ts';
import type { Mailer } from '../ports/mail/mail.ts';
import { createDeviceNetworks, type DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import type { MessagingNetwork } from '../ports/messaging-network/messaging-network.ts';
import { networkNotation } from '../ports/messaging-network/supported-content.ts';
import { type ConfiguredSpeech, createSpeech } from '../ports/speech/create-speech.ts';
import { noSpeech, type Speech } from '../ports/speech/speech.ts';
import type { Disclosure } from '../tenancy/teams/disclosure.ts';
import type { MessagePrices } from '../tenancy/usage/message-prices.ts';
import { createModelCallRecorder, type RecordModelCalls } from '../tenancy/usage/model-calls.ts';
import { type Config, findLocalDisk, listedHosts } from './config.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';

/** Operations fail after 25 s. The provider may use this much of that time. */
export const providerDeadlineMs = 20_000;

/** Components that every role uses. One per process. */
export interface Context {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  recordSpan: RecordSpan;
  clock: Clock;
  encryption: Encryption;
  databaseUrl: string;
  /** Refuses a connection to another database. */
  checkConnection(client: ClientBase): Promise<void>;
  installationId: string;
  deviceTokens: Keyring['deviceTokens'];
  /** Its key stays the same when the encryption key is rotated. */
  keyedHash: KeyedHash;
  /** How contacts learn that a machine answers, unless their team says otherwise. */
  disclosure: Disclosure;
  recordModelCalls: RecordModelCalls;
  messagePrices: MessagePrices;
  hosts: Hosts;
  networks: DeviceNetworks;
  db: Database;
  readList: ReadList;
  notifications: Notifications;
  /** Disconnects from the database. Call it after all roles have stopped. */
  close(): Promise<void>;
}

/** External systems that the api and the worker share. */
export interface Adapters {
  fileStore: FileStore;
  provider: AssistantProvider;
  /** Null unless documents move to another place. */
  places: KnowledgePlaces | null;
  embedding: GuardedEmbedding | null;
  groupQuestions: GroupQuestions;
  /** Published bots. One cache serves all roles. */
  bots: BotLoader;
  speech: Speech;
  /** The configured service for speech, to check it. Null without one. */
  speechService: ConfiguredSpeech | null;
  /** Null without a mail server: links are shown instead of sent. */
  mailer: Mailer | null;
  /** How to start document readers. The first call finds it out and logs it. */
  findReaderLaunch(): Promise<ReaderLaunch>;
}

/** Test doubles that replace configured components. */
export interface Replacements {
  clock?: Clock;
  fileStore?: FileStore;
  provider?: AssistantProvider;
  speech?: Speech;
  network?: MessagingNetwork;
}

/** Connects to a migrated database. `keySource` names the origin of the keys for the operator. */
export async function createContext({
  config,
  databaseUrl,
  encryptionKeys,
  keySource = 'ENCRYPTION_KEY',
  onDatabaseUnusable = () => undefined,
  logger,
  clock = systemClock,
}: {
  config: Config;
  databaseUrl: string;
  encryptionKeys: EncryptionKeys;
  keySource?: string;
  /** Called when a new connection leads to another database or an incompatible schema. The connection is not used. */
  onDatabaseUnusable?: (reason: string, found: object) => void;
  logger: Logger;
  clock?: Clock | undefined;
}): Promise<Context> {
  const schema = await readSchemaVersion();
  const { expect, check: checkConnection } = createInstallationCheck(schema, onDatabaseUnusable);
  const connection = connectDatabase({
    url: databaseUrl,
    onConnect: checkConnection,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: `parley ${[...config.ROLES].join(',')}`,
    logger,
  });
  const { db } = connection;
  const encryption = createEncryption(...encryptionKeys);
  const readInstallation = async () => {
    const installationId = await readInstallationId(db);
    return { installationId, ...(await openKeyring({ db, encryption, installationId, source: keySource })) };
  };
  const { installationId, deviceTokens, hold } = await readInstallation().catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  expect(installationId);
  armFaultPoints(config.FAULT_POINT);
  const onConnected = async (client: ClientBase) => {
    await checkConnection(client);
    await client.query(showSchemaStatement(schema));
    await hold(client);
    if (config.ROLES.has('api') || config.ROLES.has('worker')) await client.query(holdKnowledgePlace(config));
  };
  const replica = connectReplica(config, { installationId, schema, logger });
  const notifications = startNotifications({ url: databaseUrl, logger, onConnected });
  const metrics = createMetrics({
    db,
    token: config.METRICS_TOKEN,
    embeddingModel: searchesPassagesByMeaning(config) ? config.EMBEDDING_MODEL : null,
    localDisk: findLocalDisk(config),
  });
  const telemetry = startTelemetry({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    withTexts: config.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
    roles: config.ROLES,
    registry: metrics.registry,
    logger,
  });
  return {
    config,
    logger,
    metrics,
    recordSpan: telemetry.recordSpan,
    clock,
    encryption,
    databaseUrl,
    checkConnection,
    installationId,
    deviceTokens,
    keyedHash: deviceTokens.keyedHash,
    disclosure: { mode: config.DISCLOSURE_DEFAULT },
    recordModelCalls: createModelCallRecorder(config.MODEL_PRICES),
    messagePrices: config.MESSAGE_PRICES,
    hosts: createHosts(listedHosts(config)),
    networks: createDeviceNetworks(config.MESSAGING_NETWORK),
    db,
    readList: createReadList({ db, replica: replica?.db ?? null, logger }),
    notifications,
    async close() {
      await telemetry.close();
      await notifications.close();
      await replica?.close();
      await connection.close();
    },
  };
}

/** Its connections fail if they lead to the data of another deployment. */
function connectReplica(
  config: Config,
  { installationId, schema, logger }: { installationId: string; schema: number; logger: Logger },
): DatabaseConnection | null {
  if (config.DATABASE_READ_URL === null || !config.ROLES.has('api')) return null;
  const { expect, check } = createInstallationCheck(schema, () => undefined);
  expect(installationId);
  return connectDatabase({
    url: config.DATABASE_READ_URL,
    onConnect: check,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'parley lists',
    connectTimeoutMs: 2_000,
    responseTimeoutMs: 10_000,
    logger,
  });
}

/** `embedded` searches passages by words only, and `openai-hosted` leaves the search to OpenAI. */
export const searchesPassagesByMeaning = ({ ASSISTANT_PROVIDER: provider }: Config): boolean =>
  provider !== 'embedded' && provider !== 'openai-hosted';

export const providerSettings = (config: Config): AssistantProviderSettings => ({
  name: config.ASSISTANT_PROVIDER,
  apiKey: config.MODEL_API_KEY,
  baseUrl: config.MODEL_BASE_URL,
  levels: [config.MODEL_LEVEL_1, config.MODEL_LEVEL_2, config.MODEL_LEVEL_3],
  timeoutMs: config.MODEL_TIMEOUT_SECONDS * 1000,
  concurrency: config.MODEL_CONCURRENCY,
  fallback: config.MODEL_FALLBACK,
  vision: config.MODEL_VISION,
});

const hostedSettings = (config: Config): AssistantProviderSettings => {
  const { OPENAI_HOSTED_API_KEY: key, OPENAI_HOSTED_BASE_URL: url, OPENAI_HOSTED_MODEL: model } = config;
  const configured = providerSettings(config);
  const { name } = configured;
  if (name === 'openai-hosted') return configured;
  const { apiKey, baseUrl, levels } = name === 'openai' ? configured : { ...configured, ...noHostedSettings };
  return {
    ...configured,
    name: 'openai-hosted',
    apiKey: key ?? apiKey,
    baseUrl: url ?? baseUrl,
    levels: model === null ? levels : [model, null, null],
  };
};

const noHostedSettings = { apiKey: null, baseUrl: null, levels: [null, null, null] } as const;

export async function createAdapters(
  {
    config,
    db,
    encryption,
    installationId,
    logger,
    metrics,
    recordSpan,
  }: Pick<Context, 'config' | 'db' | 'encryption' | 'installationId' | 'logger' | 'metrics' | 'recordSpan'>,
  { provider: replacedProvider, ...replacements }: Replacements = {},
  /** Whether documents may be elsewhere than the configured provider keeps them. */
  usesBothPlaces = false,
): Promise<Adapters> {
  const embedding = openEmbedding(config, metrics);
  const encode = createSentenceEncoder(logger);
  const recordModelCall = recordModelSpan(recordSpan, config.ASSISTANT_PROVIDER);
  const onModelCall: OnModelCall = (call) => {
    metrics.models.count({ provider: config.ASSISTANT_PROVIDER, ...call });
    recordModelCall(call);
  };
  const options = {
    settings: providerSettings(config),
    db,
    installationId,
    embedding,
    encode,
    notation: networkNotation,
    logger,
    // Only workers answer contacts. Otherwise each process of the API would load the sentence encoder when a draft is saved.
    preparesAnswers: config.ROLES.has('worker'),
    onModelCall,
    onRetrieval: recordRetrievalSpan(recordSpan),
  };
  const { provider, places } =
    replacedProvider === undefined && usesBothPlaces
      ? await createProviders({
          ...options,
          hosted: hostedSettings(config),
          findPlace: createPlaceFinder(db),
        })
      : { provider: replacedProvider ?? (await createAssistantProvider(options)), places: null };
  const speechService = openSpeech(config, metrics);
  let readerLaunch: Promise<ReaderLaunch> | undefined;
  return {
    fileStore: replacements.fileStore ?? createFileStore(config),
    provider,
    places,
    embedding,
    groupQuestions: createQuestionGroups({ db, embedding, encode }),
    bots: createBotLoader({ db, encryption, provider, providerDeadlineMs }),
    speech: replacements.speech ?? speechService ?? noSpeech,
    speechService,
    mailer: createMailer({ url: config.MAIL_URL, from: config.MAIL_FROM }),
    findReaderLaunch: () => (readerLaunch ??= findReaderLaunch(logger)),
  };
}

function openSpeech(config: Config, { speech: { requests } }: Metrics): ConfiguredSpeech | null {
  const { SPEECH_PROVIDER, SPEECH_BASE_URL: baseUrl, SPEECH_API_KEY: apiKey } = config;
  const { SPEECH_MODEL: model, SPEECH_VOICE: voice, TRANSCRIPTION_MODEL: transcriptionModel } = config;
  if (SPEECH_PROVIDER === 'none' || baseUrl === null) return null;
  return createSpeech(
    {
      baseUrl,
      apiKey,
      voice: model === null || voice === null ? null : { model, voice },
      transcriptionModel,
    },
    { onRequest: (purpose, outcome) => requests.inc({ purpose, outcome }) },
  );
}

function openEmbedding(config: Config, { embedding: { requests } }: Metrics): GuardedEmbedding | null {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: baseUrl, EMBEDDING_API_KEY: apiKey } = config;
  if (model === null || baseUrl === null) return null;
  return createGuardedEmbedding({
    embedding: createEmbedding({ model, baseUrl, apiKey }),
    onRequest: (purpose, outcome) => requests.inc({ purpose, outcome }),
  });
}
