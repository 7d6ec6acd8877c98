import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from './server-process.ts';

const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** Parley's api role and its first key, with a token of it. */
export interface ParleyProcess extends ServerProcess {
  key: { id: string; secret: string };
  token: string;
}

/** What both sides of a pair are given alike. */
export const sharedEnvironment = (databaseUrl: string) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: '16',
});

/** Starts the api role as a deployment does, with its defaults; its files and its log go below `directory`. */
export async function startParley(options: {
  databaseUrl: string;
  directory: string;
  execArgs: readonly string[];
}): Promise<ParleyProcess> {
  const key = {
    id: `pk_${randomBytes(10).toString('hex')}`,
    secret: `sk_${randomBytes(24).toString('hex')}`,
  };
  const server = await startServerProcess({
    program,
    log: join(options.directory, 'parley.log'),
    execArgs: options.execArgs,
    environment: {
      ...sharedEnvironment(options.databaseUrl),
      ROLES: 'api',
      PORT: '0',
      DATA_DIR: join(options.directory, 'data'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_KEY_ID: key.id,
      BOOTSTRAP_KEY_SECRET: key.secret,
      // No operation measured here speaks to the network; an address is all it takes to start.
      SIMULATOR_URL: 'http://127.0.0.1:9',
      ALLOW_SIMULATOR: 'true',
      // The limiter works as ever, with a limit that the load does not reach.
      RATE_LIMIT_PER_MINUTE: '1000000000',
    },
  });
  try {
    return { ...server, key, token: await exchange(server.url, key) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function exchange(url: string, key: { id: string; secret: string }): Promise<string> {
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
