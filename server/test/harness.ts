import { after } from 'node:test';
import { endMessagesOfDeletedDevice } from '../src/chat/messages/outbox.ts';
import { createDeviceTokens, type GetDeviceToken } from '../src/devices/device-token.ts';
import { selectDevicesOfBot, stopDevicesOfTeam } from '../src/devices/devices.sql.ts';
import { createDeviceReader, type ReadDevice } from '../src/devices/devices.ts';
import { needsBothPlaces } from '../src/knowledge/bots/knowledge-place.ts';
import type { Routes } from '../src/platform/http/fastify-app.ts';
import { createIdempotency, type Idempotency } from '../src/platform/http/idempotency/idempotency.ts';
import { type Clock, toMonth } from '../src/platform/shared/clock.ts';
import type { EncryptionKeys } from '../src/platform/shared/encryption-key.ts';
import { createLogger } from '../src/platform/shared/logger.ts';
import { createMemoryFileStore } from '../src/ports/file-store/memory.ts';
import { composeApi } from '../src/process/compose/api.ts';
import { readConfig } from '../src/process/config.ts';
import {
  type Adapters,
  type Context,
  createAdapters,
  createContext,
  type Replacements,
} from '../src/process/context.ts';
import { createApiKey } from '../src/tenancy/api-keys/api-keys.ts';
import type { Role } from '../src/tenancy/roles/roles.ts';
import { type Api, createApiClient } from './api-client.ts';
import { createTestDatabase } from './test-database.ts';

/** The dependencies of tests below HTTP. */
export type TestContext = Context &
  Adapters &
  typeof givenFromAbove & {
    idempotency: Idempotency;
    readDevice: ReadDevice;
    getDeviceToken: GetDeviceToken;
  };

/** What rooms above give to routes below them. */
const givenFromAbove = {
  baseUrl: 'https://parley.example',
  stopDevicesOfTeam,
  selectDevicesOfBot,
  endMessagesOfDeletedDevice,
};

/** An API on its own database, listening on loopback. */
export interface TestApp {
  context: TestContext;
  baseUrl: string;
  /** Calls with a token of a global key. Every response must conform to the OpenAPI document. */
  api: Api;
  /** The global key. */
  key: TestKey;
  /** Creates another key with a token. */
  issueKey(options?: KeyOptions): Promise<TestKey>;
}

interface KeyOptions {
  teamId?: string;
  /** Default: all rights within the scope. */
  role?: Role;
  expiresAt?: Date;
}

export interface TestKey {
  keyId: string;
  secret: string;
  token: string;
}

export interface TestAppOptions {
  replacements?: Replacements;
  /** Default: `testEncryptionKey`. */
  encryptionKeys?: EncryptionKeys;
  /** Environment variables besides the defaults. */
  environment?: Record<string, string>;
  /** The routes besides access tokens and API keys. Default: all. */
  routes?: (context: TestContext) => readonly Routes[];
}

export const testEncryptionKey = Buffer.alloc(32, 7);

/**
 * Creates a context on a fresh database. It closes after the file's tests, or after the suite's inside `describe`.
 */
export async function startTestContext(options: TestAppOptions = {}): Promise<TestContext> {
  const database = await createTestDatabase();
  const context = await openTestContext(database.url, options);
  after(async () => {
    await context.close();
    await database.drop();
  });
  return context;
}

const latestTime = endOfMonth(new Date());

/**
 * Stops at the end of the month in which the file started, so that monthly usage does not reset during a test.
 */
const clock: Clock = { now: () => new Date(Math.min(Date.now(), latestTime)) };

function endOfMonth(time: Date): number {
  const end = new Date(toMonth(time));
  end.setUTCMonth(end.getUTCMonth() + 1);
  return end.getTime() - 1;
}

/** Opens a second context on the same database, as another process would. */
export async function openTestContext(
  databaseUrl: string,
  options: TestAppOptions = {},
): Promise<TestContext> {
  const replacements = { clock, fileStore: createMemoryFileStore(), ...options.replacements };
  const context = await createContext({
    config: readConfig({
      LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
      // Most tests compare whole answers.
      DISCLOSURE_DEFAULT: 'off',
      DISCLOSURE_OFF_REASON: 'tests',
      ...options.environment,
    }),
    databaseUrl,
    encryptionKeys: options.encryptionKeys ?? [testEncryptionKey],
    logger: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'silent'),
    clock: replacements.clock,
  });
  return {
    ...context,
    ...givenFromAbove,
    ...(await createAdapters(context, replacements, await needsBothPlaces(context.db, context.config))),
    idempotency: createIdempotency(context),
    readDevice: createDeviceReader(context.db),
    getDeviceToken: createDeviceTokens(context.deviceTokens),
  };
}

/** Starts an API on its own database. It stops after the file's tests. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const context = await startTestContext(options);
  return startApiOn(context, options);
}

/** Starts an API on a context that the caller closes, for tests with several APIs. */
export async function startApiOn(context: TestContext, options: TestAppOptions = {}): Promise<TestApp> {
  const routes = options.routes?.(context);
  const { app, close } = await composeApi(
    context,
    context,
    routes === undefined ? {} : { resources: routes },
  );
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => close());
  const issueKey = async ({ teamId, role, expiresAt }: KeyOptions = {}) => {
    const issued = await context.db.transaction().execute((tx) =>
      createApiKey(tx, context.encryption, {
        name: 'Test key',
        teamId: teamId ?? null,
        role: role ?? null,
        expiresAt: expiresAt ?? null,
      }),
    );
    if (issued === null) throw new Error(`there is no team ${teamId} to issue a key for`);
    const exchanged = await fetch(`${baseUrl}/api/openapi/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key_id: issued.keyId, key_secret: issued.secret }),
    });
    const envelope = (await exchanged.json()) as { data: { access_token: string } };
    return { keyId: issued.keyId, secret: issued.secret, token: envelope.data.access_token };
  };
  const key = await issueKey();
  return { context, baseUrl, key, issueKey, api: await createApiClient(baseUrl, key.token) };
}
