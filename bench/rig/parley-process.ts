import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createParley } from '@parley/sdk';
import { type ServerProcess, startServerProcess } from './server-process.ts';

export const parleyProgram = fileURLToPath(new URL('../../bin/start.js', import.meta.url));

/** The settings that all processes on one database share. */
export interface Deployment {
  databaseUrl: string;
  encryptionKey: string;
  /** The first API key. */
  key: { id: string; secret: string };
}

/** A Parley process with an access token of the first key. */
export interface ParleyProcess extends ServerProcess {
  key: { id: string; secret: string };
  token: string;
}

/** Creates the settings for an empty database. */
export function newDeployment(databaseUrl: string): Deployment {
  return { databaseUrl, encryptionKey: randomBytes(32).toString('base64'), key: newKey() };
}

export const newKey = (): Deployment['key'] => ({
  id: `pk_${randomBytes(10).toString('hex')}`,
  secret: `sk_${randomBytes(24).toString('hex')}`,
});

/** The environment of both sides of a pair. */
export const sharedEnvironment = (databaseUrl: string) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: '16',
});

/** The defaults, with a request rate that the load does not reach. */
export const productionEnvironment = (key: Deployment['key']) => ({
  NODE_ENV: 'production',
  ALLOW_SIMULATOR: 'true',
  PORT: '0',
  BOOTSTRAP_KEY_ID: key.id,
  BOOTSTRAP_KEY_SECRET: key.secret,
  RATE_LIMIT_PER_MINUTE: '1000000000',
});

export const deploymentEnvironment = ({ databaseUrl, encryptionKey, key }: Deployment) => ({
  ...sharedEnvironment(databaseUrl),
  ...productionEnvironment(key),
  ENCRYPTION_KEY: encryptionKey,
});

/**
 * Starts Parley as a deployment does. All roles together host the simulated network. The api alone never contacts a network
 * but needs an address to start. Files and the log are stored below `directory`.
 */
export async function startParley(options: {
  deployment: Deployment;
  directory: string;
  /** Name of the log file without extension. */
  log: string;
  roles: 'api' | 'api,pool,worker';
  execArgs: readonly string[];
  /** Further variables. */
  variables?: Record<string, string>;
}): Promise<ParleyProcess> {
  const { deployment, directory, roles } = options;
  const { key, databaseUrl } = deployment;
  const server = await startServerProcess({
    program: parleyProgram,
    log: join(directory, `${options.log}.log`),
    execArgs: options.execArgs,
    environment: {
      ...deploymentEnvironment(deployment),
      ...options.variables,
      ROLES: roles,
      DATA_DIR: join(directory, 'data', new URL(databaseUrl).pathname),
      ...(roles === 'api' ? { SIMULATOR_URL: 'http://127.0.0.1:9' } : {}),
    },
  });
  try {
    return { ...server, key, token: await exchange(server.url, key) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Exchanges the key for an access token. */
export function exchange(url: string, key: Deployment['key']): Promise<string> {
  return createParley({ baseUrl: url, key: { key_id: key.id, key_secret: key.secret } }).getToken();
}
