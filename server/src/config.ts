import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseArmedFaultPoints } from './shared/fault-points.ts';

/** Every environment variable. The README's configuration table is generated from this list. */
const entries = {
  PORT: entry('3000', 'Port of the partner API. 0 selects a free port.', port),
  HOST: entry('127.0.0.1', 'Address the partner API listens on.', text),
  BASE_URL: entry(
    '',
    'Base address of the links in the simulator’s QR codes. Default: `http://HOST:PORT` in a process with the role api, otherwise the simulator’s address.',
    optional(url),
  ),
  DATA_DIR: entry('./data', 'Folder for the embedded database, documents and generated secrets.', path),
  DATABASE_URL: entry(
    '',
    'Connection URL of an external PostgreSQL (17 or newer, with pg_trgm). Absent: the embedded database.',
    optional(postgresUrl),
  ),
  DATABASE_POOL_SIZE: entry(
    '16',
    'Size of the connection pool of this process. Up to 8 more connections are used: notifications (1), jobs (4), the lease of a pool (1), a long document (1), keeping the embedded database running (1).',
    integer(2, 200),
  ),
  ROLES: entry(
    'api,pool,worker',
    'Roles of this process, comma-separated: api, pool, worker, simulator.',
    roles,
  ),
  POOL_HOST: entry('127.0.0.1', "Address the pool's internal interface listens on.", text),
  POOL_PORT: entry('0', "Port of the pool's internal interface. 0 selects a free port.", port),
  POOL_URL: entry(
    '',
    'Address where other processes reach this pool. Default: the address it listens on.',
    optional(url),
  ),
  POOL_CAPACITY: entry('1000', 'Maximum number of devices that this pool hosts.', integer(0, 1_000_000)),
  LEASE_SECONDS: entry(
    '15',
    'Seconds until other processes take over the devices, conversations and jobs of a process that stopped responding.',
    integer(1, 600),
  ),
  STOP_SECONDS: entry(
    '120',
    'Seconds that a stopping process may take to finish running work. After that it ends at once.',
    integer(1, 3600),
  ),
  ASSISTANT_PROVIDER: entry('embedded', 'AI provider: embedded.', oneOf('embedded')),
  MESSAGING_NETWORK: entry(
    'simulator',
    'Messaging network: simulator, or whatsapp (an optional package, see packages/whatsapp).',
    oneOf('simulator', 'whatsapp'),
  ),
  WHATSAPP_VERSION: entry(
    '',
    'Client version sent to WhatsApp, like 2.3000.1. Absent: the version of the client library.',
    optional(clientVersion),
  ),
  SIMULATOR_URL: entry(
    '',
    'Address of a simulator in another process. Without it, a process with the roles api, pool and worker hosts a simulator, and a process with only some of these roles does not start. A process with the role simulator always hosts one.',
    optional(url),
  ),
  SIMULATOR_PORT: entry('0', 'Port of the simulator that this process hosts. 0 selects a free port.', port),
  FILE_STORE: entry('local', 'Storage of document files: local (under DATA_DIR).', oneOf('local')),
  ENCRYPTION_KEY: entry(
    '',
    '32 bytes in base64 or hex that encrypt stored secrets. Generated in DATA_DIR with the embedded database, required with DATABASE_URL.',
    optional(encryptionKey),
  ),
  BOOTSTRAP_KEY_ID: entry('', 'Id of the first API key: 8 to 128 of `A-Za-z0-9_-`.', optional(credential)),
  BOOTSTRAP_KEY_SECRET: entry(
    '',
    'Secret of the first API key: 8 to 128 of `A-Za-z0-9_-`.',
    optional(credential),
  ),
  MAX_UPLOAD_BYTES: entry(
    String(20 * 1024 * 1024),
    'Maximum size of a document in bytes.',
    integer(1, 1024 * 1024 * 1024),
  ),
  RATE_LIMIT_PER_MINUTE: entry(
    '6000',
    'Requests per minute and API key, over all processes. 0: unlimited.',
    integer(0, 1_000_000_000),
  ),
  TRUSTED_PROXIES: entry(
    '',
    'Addresses and networks (CIDR) of the proxies in front of the api, comma-separated. Their `X-Forwarded-For` is trusted. Absent: none.',
    networks,
  ),
  CORS_ORIGINS: entry(
    '',
    'Origins that may call the API from a browser, comma-separated. `*` means any. Absent: none.',
    origins,
  ),
  METRICS_TOKEN: entry(
    '',
    'Bearer token for `/metrics`: 8 to 128 of `A-Za-z0-9_-`. Absent: only this machine may read the metrics.',
    optional(credential),
  ),
  METRICS_PORT: entry(
    '',
    'Separate port for `/metrics`. The roles api and pool also serve it on their own ports. A process with only the role simulator has no metrics. 0 selects a free port. Absent: no separate port.',
    optional(port),
  ),
  METRICS_HOST: entry('127.0.0.1', 'Address that METRICS_PORT listens on.', text),
  ACTION_ALLOWED_HOSTS: entry(
    '',
    'Private hosts that actions may call, comma-separated: `host` or `host:port`.',
    list,
  ),
  LOG_LEVEL: entry('info', 'One of fatal, error, warn, info, debug, trace, silent.', logLevel),
  NODE_ENV: entry('', 'With `production`, the simulator needs ALLOW_SIMULATOR=true.', text),
  ALLOW_SIMULATOR: entry('false', 'Allow the simulator in production.', boolean),
  FAULT_POINT: entry(
    '',
    'For tests, only with NODE_ENV=test: fault points (docs/fault-points.md) at which this process kills itself, comma-separated. `name@N` means the N-th time. The first point reached counts.',
    optional(parseArmedFaultPoints),
  ),
} satisfies Record<string, Entry<unknown>>;

export type Role = 'api' | 'pool' | 'worker' | 'simulator';
type Entries = typeof entries;
export type Config = {
  readonly [Name in keyof Entries]: Entries[Name] extends Entry<infer Value> ? Value : never;
};

interface Entry<Value> {
  default: string;
  description: string;
  /** Throws an `Error` that describes the valid values. */
  parse: (text: string) => Value;
}

/** For the README. */
export const configurationReference = Object.entries(entries).map(
  ([name, { default: value, description }]) => ({
    name,
    default: value,
    description,
  }),
);

class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Reads the environment. Throws one `ConfigurationError` that names every wrong or missing value. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Entry<unknown>>(entries).map(([name, { default: fallback, parse }]) => {
      const given = environment[name]?.trim();
      try {
        return [name, parse(given === undefined || given === '' ? fallback : given)];
      } catch (error) {
        problems.push(`${name}: ${error instanceof Error ? error.message : error}`);
        return [name, undefined];
      }
    }),
  );
  // Entries that could not be parsed have a problem, which is thrown below.
  const config = values as Config;
  if (problems.length === 0) problems.push(...findContradictions(config));
  if (problems.length > 0) {
    throw new ConfigurationError(
      `The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
  return config;
}

function findContradictions(config: Config): string[] {
  const problems: string[] = [];
  if (config.DATABASE_URL !== null && config.ENCRYPTION_KEY === null) {
    problems.push(
      'ENCRYPTION_KEY: is required with DATABASE_URL (32 bytes in base64: `openssl rand -base64 32`)',
    );
  }
  if ((config.BOOTSTRAP_KEY_ID === null) !== (config.BOOTSTRAP_KEY_SECRET === null)) {
    problems.push('BOOTSTRAP_KEY_ID, BOOTSTRAP_KEY_SECRET: set both or neither');
  }
  if (config.FAULT_POINT !== null && config.NODE_ENV !== 'test') {
    problems.push('FAULT_POINT: is only allowed with NODE_ENV=test');
  }
  if (
    config.MESSAGING_NETWORK === 'simulator' &&
    config.NODE_ENV === 'production' &&
    !config.ALLOW_SIMULATOR
  ) {
    problems.push(
      'MESSAGING_NETWORK: simulator is not allowed with NODE_ENV=production, because anyone could send messages as any phone; set ALLOW_SIMULATOR=true to allow it',
    );
  }
  if (config.MESSAGING_NETWORK !== 'simulator' && config.ROLES.has('simulator')) {
    problems.push('ROLES: the role simulator requires MESSAGING_NETWORK=simulator');
  }
  if (config.MESSAGING_NETWORK === 'simulator' && config.SIMULATOR_URL === null && !hostsSimulator(config)) {
    problems.push(
      'SIMULATOR_URL: is required unless this process has the role simulator or the roles api, pool and worker',
    );
  }
  return problems;
}

/** Returns whether this process hosts the simulator: with the role simulator, or by default if it has all other roles. */
export function hostsSimulator(
  config: Pick<Config, 'MESSAGING_NETWORK' | 'SIMULATOR_URL' | 'ROLES'>,
): boolean {
  if (config.ROLES.has('simulator')) return true;
  const runsEverything = config.ROLES.has('api') && config.ROLES.has('pool') && config.ROLES.has('worker');
  return config.MESSAGING_NETWORK === 'simulator' && config.SIMULATOR_URL === null && runsEverything;
}

function entry<Value>(fallback: string, description: string, parse: (text: string) => Value): Entry<Value> {
  return { default: fallback, description, parse };
}

function optional<Value>(parse: (text: string) => Value) {
  return (given: string): Value | null => (given === '' ? null : parse(given));
}

function text(given: string): string {
  return given;
}

function path(given: string): string {
  return resolve(given);
}

function list(given: string): readonly string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function origins(given: string): readonly string[] {
  return list(given).map((origin) => {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return origin;
    throw new Error(
      `${origin} must be an origin as browsers send it, like https://console.example.com, or *`,
    );
  });
}

function networks(given: string): readonly string[] {
  return list(given).map((network) => {
    if (ipaddr.isValid(network) || ipaddr.isValidCIDR(network)) return network;
    throw new Error(`${network} must be an address or a network, like 10.0.0.7 or 10.0.0.0/8`);
  });
}

function integer(min: number, max: number) {
  return (given: string): number => {
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

function port(given: string): number {
  return integer(0, 65_535)(given);
}

function boolean(given: string): boolean {
  return oneOf('true', 'false')(given) === 'true';
}

function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (given: string): Choice => {
    const choice = choices.find((c) => c === given);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

function logLevel(given: string): string {
  return oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')(given);
}

function roles(given: string): ReadonlySet<Role> {
  const set = new Set(list(given).map(oneOf('api', 'pool', 'worker', 'simulator')));
  if (set.size === 0) throw new Error('must name at least one role');
  return set;
}

function url(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new Error('must be an http(s) address');
  return given.replace(/\/+$/, '');
}

function postgresUrl(given: string): string {
  if (!/^postgres(ql)?:\/\//.test(given)) throw new Error('must begin with postgres:// or postgresql://');
  return given;
}

function clientVersion(given: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(given)) throw new Error('must be three numbers, like 2.3000.1');
  return given;
}

function credential(given: string): string {
  if (!/^[A-Za-z0-9_-]{8,128}$/.test(given)) throw new Error('must be 8 to 128 of A-Za-z0-9_-');
  return given;
}

function encryptionKey(given: string): Uint8Array {
  const bytes = Buffer.from(given, /^[0-9a-f]{64}$/i.test(given) ? 'hex' : 'base64');
  if (bytes.length !== 32) throw new Error('must be 32 bytes in base64 or hex');
  return bytes;
}
