import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from './server-process.ts';

export const parleyProgram = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** What all processes on one database are given alike. */
export interface Deployment {
  databaseUrl: string;
  encryptionKey: string;
  /** The first API key. */
  key: { id: string; secret: string };
}

/** A process of Parley, with an access token of the first key. */
export interface ParleyProcess extends ServerProcess {
  key: { id: string; secret: string };
  token: string;
}

/** For a database that is empty yet. */
export function newDeployment(databaseUrl: string): Deployment {
  return { databaseUrl, encryptionKey: randomBytes(32).toString('base64'), key: newKey() };
}

export const newKey = (): Deployment['key'] => ({
  id: `pk_${randomBytes(10).toString('hex')}`,
  secret: `sk_${randomBytes(24).toString('hex')}`,
});

/** What both sides of a pair are given alike. */
export const sharedEnvironment = (databaseUrl: string) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: '16',
});

/** Of every process measured: its defaults, but for a limiter whose limit the load does not reach. */
export const productionEnvironment = (key: Deployment['key']) => ({
  NODE_ENV: 'production',
  ALLOW_SIMULATOR: 'true',
  PORT: '0',
  BOOTSTRAP_KEY_ID: key.id,
  BOOTSTRAP_KEY_SECRET: key.secret,
  RATE_LIMIT_PER_MINUTE: '1000000000',
});

/** Of every process of a deployment. */
export const deploymentEnvironment = ({ databaseUrl, encryptionKey, key }: Deployment) => ({
  ...sharedEnvironment(databaseUrl),
  ...productionEnvironment(key),
  ENCRYPTION_KEY: encryptionKey,
});

/**
 * Starts Parley as a deployment does. All roles bring the simulated network with them; the api alone speaks to no
 * network, and an address of one is all it takes to start. Files, a folder for each database, and log go below `directory`.
 */
export async function startParley(options: {
  deployment: Deployment;
  directory: string;
  /** Name of the log. */
  log: string;
  roles: 'api' | 'api,pool,worker';
  execArgs: readonly string[];
}): Promise<ParleyProcess> {
  const { deployment, directory, roles } = options;
  const { key, databaseUrl } = deployment;
  const server = await startServerProcess({
    program: parleyProgram,
    log: join(directory, `${options.log}.log`),
    execArgs: options.execArgs,
    environment: {
      ...deploymentEnvironment(deployment),
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

/** An access token of the key. */
export async function exchange(url: string, key: Deployment['key']): Promise<string> {
  const response = await fetch(`${url}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key_id: key.id, key_secret: key.secret }),
  });
  if (!response.ok) throw new Error(`the key was not exchanged: ${await response.text()}`);
  // The description's token envelope.
  const { data } = (await response.json()) as { data: { access_token: string } };
  return data.access_token;
}
