import { after } from 'node:test';
import { createMemoryFileStore } from '../src/adapters/file-store/memory.ts';
import { createApiKey } from '../src/api-keys/api-keys.ts';
import { type Context, composeApi, createContext, type Replacements } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import type { Routes } from '../src/http/app.ts';
import { type Clock, toMonth } from '../src/shared/clock.ts';
import { createLogger } from '../src/shared/logger.ts';
import { type Api, createApiClient } from './api-client.ts';
import { createTestDatabase } from './test-database.ts';

/** A composed api on a database of its own, listening on loopback. */
export interface TestApp {
  context: Context;
  baseUrl: string;
  /** Calls with a token of a global key; every answer is held against the OpenAPI document. */
  api: Api;
  /** The global key's id, secret and token. */
  key: TestKey;
  /** Issues another key and exchanges it for a token. */
  issueKey(options?: { teamId?: string; expiresAt?: Date }): Promise<TestKey>;
}

export interface TestKey {
  keyId: string;
  secret: string;
  token: string;
}

export interface TestAppOptions {
  replacements?: Replacements;
  /** Environment variables beside the defaults. */
  environment?: Record<string, string>;
  /** Only these resources' routes (beside access tokens and API keys). Default: all. */
  routes?: (context: Context) => readonly Routes[];
}

/** Any 32 bytes: what a test seals, only that test opens. */
export const testEncryptionKey = Buffer.alloc(32, 7);

/**
 * Lays the context on a fresh database, for tests below HTTP. Released after the file's tests (or the suite's,
 * when called inside `describe`).
 */
export async function startTestContext(options: TestAppOptions = {}): Promise<Context> {
  const database = await createTestDatabase();
  const context = await openTestContext(database.url, options);
  after(async () => {
    await context.close();
    await database.drop();
  });
  return context;
}

const lastsUntil = endOfMonth(new Date());

/**
 * The time of day, which stands still at the end of the month in which the test file was begun: what a test has used of a
 * month stays used until the test is over.
 */
const clock: Clock = { now: () => new Date(Math.min(Date.now(), lastsUntil)) };

function endOfMonth(time: Date): number {
  const end = new Date(toMonth(time));
  end.setUTCMonth(end.getUTCMonth() + 1);
  return end.getTime() - 1;
}

/** Another process's view of the same database: context of their own. */
export function openTestContext(databaseUrl: string, options: TestAppOptions = {}): Promise<Context> {
  return createContext({
    config: readConfig({ LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent', ...options.environment }),
    databaseUrl,
    encryptionKey: testEncryptionKey,
    logger: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'silent'),
    replacements: { clock, fileStore: createMemoryFileStore(), ...options.replacements },
  });
}

/** Starts an api of its own for a test file; stopped after the file's tests. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const context = await startTestContext(options);
  return startApiOn(context, options);
}

/** Starts an api on context that the caller releases: for tests with several processes' worth of apis. */
export async function startApiOn(context: Context, options: TestAppOptions = {}): Promise<TestApp> {
  const routes = options.routes?.(context);
  const { app, close } = await composeApi(context, routes === undefined ? {} : { resources: routes });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => close());
  const issueKey = async ({ teamId, expiresAt }: { teamId?: string; expiresAt?: Date } = {}) => {
    const issued = await context.db.transaction().execute((tx) =>
      createApiKey(tx, context.encryption, {
        name: 'Test key',
        teamId: teamId ?? null,
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
