import { accessTokenRoutes } from '../access-tokens/access-tokens.routes.ts';
import { createAccessTokens } from '../access-tokens/access-tokens.ts';
import { createAuthenticator } from '../access-tokens/authenticator.ts';
import {
  networksWithPairingCodes,
  supportedContent,
} from '../adapters/messaging-network/supported-content.ts';
import { askRoutes } from '../answering/ask.routes.ts';
import { createActionCaller } from '../answering/call-action.ts';
import { messageAnswerRoutes } from '../answering/message-answer.routes.ts';
import { createRewrite } from '../answering/rewrite.ts';
import { tryActionRoutes } from '../answering/try-action.routes.ts';
import { apiKeyRoutes } from '../api-keys/api-keys.routes.ts';
import { createKeyStates } from '../api-keys/key-states.ts';
import { createKeyUses } from '../api-keys/key-uses.ts';
import { auditRoutes } from '../audit/audit.routes.ts';
import { installAudit } from '../audit/request-context.ts';
import { createSignIns } from '../audit/sign-ins.ts';
import { botRoutes } from '../bots/bots.routes.ts';
import { describeKnowledgeMove } from '../bots/knowledge-place.ts';
import { describeProvider, describeSpeech } from '../bots/provider-state.ts';
import { findLocalDisk } from '../config.ts';
import { consoleRoutes } from '../console/console.routes.ts';
import type { OpenedConsole } from '../console/start-console.ts';
import { contactRoutes } from '../contacts/contacts.routes.ts';
import { type Adapters, type Context, providerDeadlineMs } from '../context.ts';
import { conversationRoutes } from '../conversations/conversations.routes.ts';
import { isDatabaseReachable, readInstallationId } from '../database/installation.queries.ts';
import { connectionRoutes } from '../devices/connection.routes.ts';
import { createDeviceTokens } from '../devices/device-token.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';
import { selectDevicesOfBot, stopDevicesOfTeam } from '../devices/devices.sql.ts';
import { createDeviceReader } from '../devices/devices.ts';
import { linkRoutes } from '../devices/link.routes.ts';
import { documentRoutes } from '../documents/documents.routes.ts';
import { createExtractor, type Extractor, extractionLimits } from '../documents/extraction/extractor.ts';
import { fitReaders } from '../documents/extraction/fit-readers.ts';
import { describeWebhooks } from '../events/catalogue.ts';
import { createEventFeed } from '../events/event-feed.ts';
import { eventRoutes } from '../events/events.routes.ts';
import { createApp } from '../http/app.ts';
import { createConnectionShares } from '../http/connection-shares.ts';
import { installDrain } from '../http/drain.ts';
import type { App, Routes } from '../http/fastify-app.ts';
import { healthRoutes } from '../http/health.routes.ts';
import { createIdempotency, type Idempotency } from '../http/idempotency/idempotency.ts';
import { createRequestRate } from '../http/limits/request-rate.ts';
import { simulatorRoutes } from '../http/simulator.routes.ts';
import { describeInfrastructure } from '../infrastructure.ts';
import { activityRoutes } from '../messages/activity.routes.ts';
import { messageRoutes } from '../messages/messages.routes.ts';
import { endMessagesOfDeletedDevice } from '../messages/outbox.ts';
import { sendRoutes } from '../messages/send.routes.ts';
import { createReaderCheck } from '../metrics/exposition.ts';
import { metricsRoutes } from '../metrics/metrics.routes.ts';
import { installRequestMetrics } from '../metrics/request-metrics.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { planRoutes } from '../plans/plans.routes.ts';
import { poolRoutes } from '../pools/pools.routes.ts';
import { createStorageWatch } from '../storage-watch.ts';
import { deleteTeamRoutes } from '../teams/delete-team.routes.ts';
import { teamRoutes } from '../teams/teams.routes.ts';
import { installRequestSpans } from '../telemetry/request-spans.ts';
import { usageRoutes } from '../usage/usage.routes.ts';
import { webhookRoutes } from '../webhooks/webhooks.routes.ts';

export interface Api {
  app: App;
  /** Makes the first upload as fast as later ones. */
  warmUp(): Promise<void>;
  /** Rejects new requests and finishes running ones. Keep-alive clients get responses for another `lingerMs`. */
  close(lingerMs?: number): Promise<void>;
}

interface ApiOptions {
  /** Target of `/simulator`. Absent unless the messaging network is the simulator. */
  simulatorUrl?: () => string;
  /** Returns the console, or null while it is being built. Absent: no console. */
  console?: () => OpenedConsole;
  /** Routes to serve instead of all resources, for tests. */
  resources?: readonly Routes[];
}

export async function composeApi(
  context: Context,
  adapters: Adapters,
  options: ApiOptions = {},
): Promise<Api> {
  const { clock, config, db, encryption, hosts, installationId, logger, metrics, notifications } = context;
  const limitPerMinute = config.RATE_LIMIT_PER_MINUTE;
  const keyStates = createKeyStates({ db, notifications });
  const keyUses = createKeyUses({ db, clock, logger });
  const signIns = createSignIns({ db, logger });
  const accessTokens = createAccessTokens({ ...encryption, installationId, clock });
  const idempotency = createIdempotency(context);
  const extractor = createExtractor({
    ...extractionLimits,
    ...fitReaders(config),
    findLaunch: adapters.findReaderLaunch,
    logger,
  });
  const connectionShares = createConnectionShares();
  const authenticate = createAuthenticator({ accessTokens, keyStates, keyUses, clock });
  const storage = createStorageWatch(findLocalDisk(config));
  const feed = createEventFeed({ db, logger });
  let drain = async (_lingerMs: number): Promise<void> => undefined;
  const app = await createApp({
    logger,
    authenticate,
    requestRate: limitPerMinute === 0 ? null : createRequestRate({ db, limitPerMinute }),
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: config.CORS_ORIGINS,
    hosts,
    connectionShares,
    onStorageFull: storage.noteFull,
    webhooks: describeWebhooks(),
    routes: [
      healthRoutes({
        ready: async () =>
          options.console?.() !== null && (await isDatabaseReachable(db)) && (await storage.hasRoom()),
        maySeeDetails: createReaderCheck(config.METRICS_TOKEN),
        describe: async () => ({
          ...(await describeInfrastructure(config, adapters, () => readInstallationId(db))),
          assistant_provider: await describeProvider(adapters.provider),
          embedding: adapters.embedding?.describe() ?? null,
          speech: adapters.speechService && (await describeSpeech(adapters.speechService)),
          knowledge_move: await describeKnowledgeMove(db, config).catch(() => null),
        }),
      }),
      metricsRoutes({ expose: metrics.expose, hosts }),
      accessTokenRoutes({ db, encryption, accessTokens, keyUses, signIns, clock, connectionShares }),
      apiKeyRoutes({ db, idempotency, encryption, notifications, clock }),
      eventRoutes({ db, feed, authenticate }),
      auditRoutes(context),
      ...(options.resources ?? resourceRoutes(context, adapters, { idempotency, extractor })),
      ...(options.console === undefined
        ? []
        : [consoleRoutes({ opened: options.console, simulator: options.simulatorUrl !== undefined })]),
      ...(options.simulatorUrl === undefined
        ? []
        : [simulatorRoutes({ simulatorUrl: options.simulatorUrl, hosts })]),
    ],
    prepare: (prepared) => {
      drain = installDrain(prepared);
      installRequestMetrics(prepared, metrics.requests);
      if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== null) installRequestSpans(prepared, context.recordSpan);
      installAudit(prepared, context.deviceTokens.keyedHash);
    },
  });
  return {
    app,
    warmUp: extractor.warmUp,
    async close(lingerMs = 0) {
      feed.close();
      await drain(lingerMs);
      await app.close();
      await extractor.close();
      keyStates.close();
      await keyUses.close();
      await signIns.close();
    },
  };
}

function resourceRoutes(
  {
    clock,
    config,
    db,
    deviceTokens,
    encryption,
    faultPoint,
    logger,
    notifications,
    readList,
    recordModelCalls,
  }: Context,
  { bots, fileStore, provider, speech }: Adapters,
  { idempotency, extractor }: { idempotency: Idempotency; extractor: Extractor },
): Routes[] {
  const readDevice = createDeviceReader(db);
  const getDeviceToken = createDeviceTokens(deviceTokens);
  const outbound = createOutbound({ allowedHosts: config.ACTION_ALLOWED_HOSTS });
  const callAction = createActionCaller({ outbound });
  const uploads = { idempotency, faultPoint, extractor, maxUploadBytes: config.MAX_UPLOAD_BYTES };
  return [
    planRoutes({ db }),
    teamRoutes({ db, readList, idempotency, notifications, stopDevicesOfTeam }),
    deleteTeamRoutes({ db, notifications }),
    usageRoutes({ db, clock }),
    documentRoutes({ db, readList, fileStore, provider, providerDeadlineMs, ...uploads }),
    botRoutes({
      db,
      readList,
      idempotency,
      faultPoint,
      encryption,
      provider,
      providerDeadlineMs,
      selectDevicesOfBot,
    }),
    deviceRoutes({
      db,
      readList,
      idempotency,
      notifications,
      readDevice,
      getDeviceToken,
      endMessagesOfDeletedDevice,
    }),
    connectionRoutes({
      db,
      notifications,
      readDevice,
      getDeviceToken,
      hasPairingCodes: networksWithPairingCodes.has(config.MESSAGING_NETWORK),
    }),
    linkRoutes({ db, notifications, readDevice, baseUrl: config.BASE_URL }),
    poolRoutes({ db }),
    contactRoutes({ db, encryption, fileStore }),
    webhookRoutes({
      db,
      idempotency,
      encryption,
      outbound: createOutbound({ allowedHosts: config.WEBHOOK_ALLOWED_HOSTS }),
    }),
    messageRoutes({ db, fileStore, readList }),
    activityRoutes({ db }),
    conversationRoutes({ db, readList, idempotency, notifications }),
    sendRoutes({
      db,
      fileStore,
      idempotency,
      faultPoint,
      clock,
      notifications,
      logger,
      sources: {
        fetchImage: supportedContent[config.MESSAGING_NETWORK].has('image') ? outbound.fetchImage : null,
        synthesize: speech.synthesize,
        rewrite: createRewrite({ db, provider, bots, recordModelCalls, clock }),
      },
    }),
    messageAnswerRoutes({ db }),
    askRoutes({
      db,
      faultPoint,
      bots,
      provider,
      callAction,
      recordModelCalls,
      config,
      clock,
      providerDeadlineMs,
    }),
    tryActionRoutes({ db, encryption, callAction, clock }),
  ];
}
