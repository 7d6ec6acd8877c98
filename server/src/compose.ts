import { accessTokenRoutes } from './access-tokens/access-tokens.routes.ts';
import { createAccessTokens } from './access-tokens/access-tokens.ts';
import { createAuthenticator } from './access-tokens/authenticator.ts';
import type { AssistantProvider } from './adapters/assistant-provider/assistant-provider.ts';
import { createAssistantProvider } from './adapters/assistant-provider/create-assistant-provider.ts';
import { createFileStore } from './adapters/file-store/create-file-store.ts';
import type { FileStore } from './adapters/file-store/file-store.ts';
import type { Speech } from './adapters/speech/speech.ts';
import { apiKeyRoutes } from './api-keys/api-keys.routes.ts';
import { createKeyStates } from './api-keys/key-states.ts';
import { createKeyUses } from './api-keys/key-uses.ts';
import type { Config } from './config.ts';
import { connectDatabase, type Database } from './database/database.ts';
import { readInstallationId } from './database/installation.queries.ts';
import { type Notifications, startNotifications } from './database/notifications.ts';
import { type App, createApp, type Routes } from './http/app.ts';
import { installDraining } from './http/draining.ts';
import { createOnce, type Once } from './http/idempotency.ts';
import { planRoutes } from './plans/plans.routes.ts';
import { type Clock, systemClock } from './shared/clock.ts';
import { createEncryption, type Encryption } from './shared/encryption.ts';
import type { Logger } from './shared/logger.ts';
import { teamRoutes } from './teams/teams.routes.ts';
import { usageRoutes } from './usage/usage.routes.ts';

/** What every role stands on. */
export interface Foundations {
  config: Config;
  databaseUrl: string;
  logger: Logger;
  clock: Clock;
  installationId: string;
  db: Database;
  notifications: Notifications;
  once: Once;
  encryption: Encryption;
  fileStore: FileStore;
  provider: AssistantProvider;
  speech: Speech | null;
  /** Releases all of it; the last step of stopping. */
  close(): Promise<void>;
}

/** What a test may put in place of the configured adapter. */
export interface Replacements {
  clock?: Clock;
  fileStore?: FileStore;
  provider?: AssistantProvider;
  speech?: Speech;
}

/** Connects to a migrated database and to the outside that every role needs. */
export async function layFoundations(options: {
  config: Config;
  databaseUrl: string;
  encryptionKey: Uint8Array;
  logger: Logger;
  replacements?: Replacements;
}): Promise<Foundations> {
  const { config, databaseUrl, logger, replacements = {} } = options;
  const connection = connectDatabase({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: `parley ${[...config.ROLES].join(',')}`,
    logger,
  });
  const { db } = connection;
  const notifications = startNotifications({ url: databaseUrl, logger });
  const installationId = await readInstallationId(db);
  return {
    config,
    databaseUrl,
    logger,
    clock: replacements.clock ?? systemClock,
    installationId,
    db,
    notifications,
    once: createOnce({ db }),
    encryption: createEncryption(options.encryptionKey),
    fileStore:
      replacements.fileStore ?? createFileStore({ fileStore: config.FILE_STORE, dataDir: config.DATA_DIR }),
    provider:
      replacements.provider ??
      createAssistantProvider({ name: config.ASSISTANT_PROVIDER, db, installationId }),
    speech: replacements.speech ?? null,
    async close() {
      await notifications.close();
      await connection.close();
    },
  };
}

/** The api role, not yet listening. */
export interface Api {
  app: App;
  /** Refuses what begins from now on, finishes what runs. */
  close(): Promise<void>;
}

/** `resources` are the routes beside access tokens and API keys; a test may name only those it is about. */
export async function composeApi(
  foundations: Foundations,
  resources: readonly Routes[] = resourceRoutes(foundations),
): Promise<Api> {
  const { clock, db, encryption, installationId, logger, notifications, once } = foundations;
  const keyStates = createKeyStates({ db, notifications });
  const keyUses = createKeyUses({ db, clock, logger });
  const accessTokens = createAccessTokens({ signingKey: encryption.signingKey, installationId, clock });
  let drain = (): void => undefined;
  const app = await createApp({
    logger,
    authenticate: createAuthenticator({ accessTokens, keyStates, keyUses, clock }),
    routes: [
      accessTokenRoutes({ db, encryption, accessTokens, keyUses, clock }),
      apiKeyRoutes({ db, once, encryption, notifications, clock }),
      ...resources,
    ],
    prepare: (prepared) => {
      drain = installDraining(prepared);
    },
  });
  return {
    app,
    async close() {
      drain();
      await app.close();
      keyStates.close();
      await keyUses.close();
    },
  };
}

/** Every resource of the partner API. */
export function resourceRoutes({ clock, db, notifications, once }: Foundations): Routes[] {
  return [
    planRoutes({ db, notifications }),
    teamRoutes({ db, once, notifications }),
    usageRoutes({ db, clock }),
  ];
}
