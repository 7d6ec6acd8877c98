import { alertRoutes } from '../../chat/alerts/alerts.routes.ts';
import { followTyping } from '../../chat/desk/typing.ts';
import { createVisitorStreams } from '../../chat/web/visitor-streams.ts';
import { describeKnowledgeMove } from '../../knowledge/bots/knowledge-place.ts';
import { describeProvider, describeSpeech } from '../../knowledge/bots/provider-state.ts';
import { createExtractor, extractionLimits } from '../../knowledge/documents/extraction/extractor.ts';
import { fitReaders } from '../../knowledge/documents/extraction/fit-readers.ts';
import { isDatabaseReachable, readInstallationId } from '../../platform/database/installation.queries.ts';
import { createApp } from '../../platform/http/app.ts';
import { type Authenticate, readBearerToken } from '../../platform/http/authentication.ts';
import { createConnectionShares } from '../../platform/http/connection-shares.ts';
import { installDrain } from '../../platform/http/drain.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import { healthRoutes } from '../../platform/http/health.routes.ts';
import { createIdempotency } from '../../platform/http/idempotency/idempotency.ts';
import { createRequestRate } from '../../platform/http/limits/request-rate.ts';
import { installRequestMetrics } from '../../platform/http/request-metrics.ts';
import type { simulatorRoutes } from '../../platform/http/simulator.routes.ts';
import { createReaderCheck } from '../../platform/metrics/exposition.ts';
import { metricsRoutes } from '../../platform/metrics/metrics.routes.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createStorageWatch } from '../../platform/shared/storage-watch.ts';
import { installRequestSpans } from '../../platform/telemetry/request-spans.ts';
import { auditRoutes } from '../../records/audit/audit.routes.ts';
import { installAudit } from '../../records/audit/request-context.ts';
import { createSignIns } from '../../records/audit/sign-ins.ts';
import { describeWebhooks } from '../../records/events/catalogue.ts';
import { createEventFeed } from '../../records/events/event-feed.ts';
import { eventRoutes } from '../../records/events/events.routes.ts';
import { accessTokenRoutes } from '../../tenancy/access-tokens/access-tokens.routes.ts';
import { createAccessTokens } from '../../tenancy/access-tokens/access-tokens.ts';
import { createAuthenticator } from '../../tenancy/access-tokens/authenticator.ts';
import { apiKeyRoutes } from '../../tenancy/api-keys/api-keys.routes.ts';
import { createKeyStates } from '../../tenancy/api-keys/key-states.ts';
import { createKeyUses } from '../../tenancy/api-keys/key-uses.ts';
import { createBrandedHosts } from '../../tenancy/brands/branded-hosts.ts';
import { createOutbox } from '../../tenancy/people/mails.ts';
import type { Oidc } from '../../tenancy/people/oidc.ts';
import { createOidcProvider } from '../../tenancy/people/oidc-provider.ts';
import { createPasswords } from '../../tenancy/people/passwords.ts';
import { peopleRoutes } from '../../tenancy/people/people.routes.ts';
import { createSessions } from '../../tenancy/people/sessions.ts';
import { createSignInLimits } from '../../tenancy/people/sign-in-limits.ts';
import { createPortals } from '../../tenancy/portal/portal.ts';
import { rolesOf } from '../../tenancy/roles/roles.ts';
import { type Config, findLocalDisk, linkBase } from '../config.ts';
import { consoleRoutes } from '../console/console.routes.ts';
import type { OpenedConsole } from '../console/start-console.ts';
import type { Adapters, Context } from '../context.ts';
import { describeInfrastructure } from '../infrastructure.ts';
import { resourceRoutes } from './resource-routes.ts';

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
  const authenticateToken = createAuthenticator({ accessTokens, keyStates, keyUses, clock });
  const sessions = createSessions({ db, notifications });
  const portals = createPortals({ db, notifications });
  const authenticate: Authenticate = (headers) => {
    const token = readBearerToken(headers.authorization);
    if (token === null) return sessions.authenticate(headers);
    const portal = portals.authenticate(token);
    return portal === null ? authenticateToken(token) : portal.actor;
  };
  const brandedHosts = createBrandedHosts({ db, notifications, hosts, logger });
  await brandedHosts.load();
  const passwords = createPasswords(context.keyedHash);
  const storage = createStorageWatch(findLocalDisk(config));
  const feed = createEventFeed({ db, logger });
  const stopFollowingTyping = followTyping({ db, notifications, feed, logger });
  const streams = createVisitorStreams({ db, notifications, clock, logger });
  let drain = async (_lingerMs: number): Promise<void> => undefined;
  const app = await createApp({
    logger,
    authenticate,
    rolesOf,
    requestRate: limitPerMinute === 0 ? null : createRequestRate({ db, limitPerMinute }),
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: config.CORS_ORIGINS,
    hosts: brandedHosts.hosts,
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
      peopleRoutes({
        db,
        notifications,
        passwords,
        limits: createSignInLimits(),
        encryption,
        brandName: config.BRAND_NAME,
        outbox: adapters.mailer && createOutbox(encryption, context.keyedHash),
        keyedHash: context.keyedHash,
        oidc: openOidc(config),
      }),
      alertRoutes({ db, encryption, mailPossible: adapters.mailer !== null }),
      apiKeyRoutes({ db, idempotency, encryption, notifications, clock }),
      eventRoutes({ db, feed, authenticate }),
      auditRoutes(context),
      ...(options.resources ??
        resourceRoutes(context, adapters, { idempotency, extractor, storage, brandedHosts, streams })),
      ...(options.console === undefined
        ? []
        : [
            consoleRoutes({
              opened: options.console,
              offers: {
                simulator: options.simulatorUrl !== undefined,
                networks: context.networks.enabled,
                mail: adapters.mailer !== null,
              },
              frameOrigins: config.PORTAL_FRAME_ORIGINS,
              brandOf: brandedHosts.brandOf,
            }),
          ]),
      ...(options.simulatorUrl === undefined
        ? []
        : [await loadSimulatorRoutes({ simulatorUrl: options.simulatorUrl, hosts })]),
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
      stopFollowingTyping();
      feed.close();
      streams.close();
      await drain(lingerMs);
      await app.close();
      await extractor.close();
      keyStates.close();
      sessions.close();
      portals.close();
      brandedHosts.close();
      passwords.close();
      await keyUses.close();
      await signIns.close();
    },
  };
}

/** The proxy has an HTTP client of its own, which takes 5 MB. */
async function loadSimulatorRoutes(options: Parameters<typeof simulatorRoutes>[0]): Promise<Routes> {
  const { simulatorRoutes } = await import('../../platform/http/simulator.routes.ts');
  return simulatorRoutes(options);
}

function openOidc(config: Config): Oidc | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const { OIDC_DEFAULT_ROLE: role, OIDC_ALLOWED_DOMAINS: domains } = config;
  if (issuer === null || clientId === null || clientSecret === null) return null;
  const redirectUri = `${linkBase(config)}/console/sign-in/oidc`;
  return {
    provider: createOidcProvider(
      { issuer, clientId, clientSecret, redirectUri },
      createOutbound({ allowedHosts: [new URL(issuer).host] }),
    ),
    unknown: role === null ? null : { role, domains },
  };
}
