import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseArmedFaultPoints } from './shared/fault-points.ts';

/** What a deployment can set. `configurationTable` in the README is generated from this list. */
const entries = {
  PORT: entry('3000', 'Port of the partner API. 0 takes a free one.', port),
  HOST: entry('127.0.0.1', 'Address the partner API listens on.', text),
  BASE_URL: entry(
    '',
    'Address that the QR codes of the simulated network link to. Default: `http://HOST:PORT` in a process with the role api, else the simulated network’s own.',
    optional(url),
  ),
  DATA_DIR: entry('./data', 'Folder of the embedded database, documents and generated secrets.', path),
  DATABASE_URL: entry(
    '',
    'An outside PostgreSQL (17 or newer, with pg_trgm). Absent: the embedded one.',
    optional(postgresUrl),
  ),
  DATABASE_POOL_SIZE: entry(
    '16',
    'Database connections of this process. Up to 8 more: hints (1), jobs (4), a pool’s lease (1), a long document (1), keeping the embedded database up (1).',
    integer(2, 200),
  ),
  ROLES: entry('api,pool,worker', 'Roles of this process: any of api, pool, worker, simulator.', roles),
  POOL_HOST: entry('127.0.0.1', "Address the pool's internal interface listens on.", text),
  POOL_PORT: entry('0', "Port of the pool's internal interface. 0 takes a free one.", port),
  POOL_URL: entry(
    '',
    'Address under which the other processes reach this pool. Default: what it listens on.',
    optional(url),
  ),
  POOL_CAPACITY: entry('1000', 'Devices this pool hosts at most.', integer(0, 1_000_000)),
  LEASE_SECONDS: entry(
    '15',
    'How long a process that went silent keeps what it holds: devices, conversations, jobs.',
    integer(1, 600),
  ),
  STOP_SECONDS: entry(
    '120',
    'How long a process that is told to stop may take to finish what runs. After that it ends at once.',
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
    'Client version told to WhatsApp, like 2.3000.1. Absent: the one that the client library brings.',
    optional(clientVersion),
  ),
  SIMULATOR_URL: entry(
    '',
    'A simulator that runs elsewhere. Absent: a process with the roles api, pool and worker hosts one, one with some of them is refused. The role simulator hosts one in any case.',
    optional(url),
  ),
  SIMULATOR_PORT: entry('0', 'Port of the simulator that this process hosts. 0 takes a free one.', port),
  FILE_STORE: entry('local', 'Where document bytes go: local (under DATA_DIR).', oneOf('local')),
  ENCRYPTION_KEY: entry(
    '',
    '32 bytes in base64 or hex that seal secrets at rest. Generated into DATA_DIR with the embedded database; required with DATABASE_URL.',
    optional(encryptionKey),
  ),
  BOOTSTRAP_KEY_ID: entry('', 'Id of the first API key: 8 to 128 of `A-Za-z0-9_-`.', optional(credential)),
  BOOTSTRAP_KEY_SECRET: entry('', 'Secret of the first API key, likewise.', optional(credential)),
  MAX_UPLOAD_BYTES: entry(String(20 * 1024 * 1024), 'Largest document.', integer(1, 1024 * 1024 * 1024)),
  RATE_LIMIT_PER_MINUTE: entry(
    '6000',
    'Requests that an API key may make in a minute, over all processes. 0: any number.',
    integer(0, 1_000_000_000),
  ),
  TRUSTED_PROXIES: entry(
    '',
    'Addresses and networks (CIDR) of the proxies in front of the api, comma-separated: what they say in `X-Forwarded-For` is who calls. Absent: nobody is believed.',
    networks,
  ),
  CORS_ORIGINS: entry(
    '',
    'Origins whose pages may call the API, comma-separated; `*` means any. Absent: none.',
    origins,
  ),
  METRICS_TOKEN: entry(
    '',
    'Bearer token for `/metrics`: 8 to 128 of `A-Za-z0-9_-`. Absent: this machine alone may read them.',
    optional(credential),
  ),
  METRICS_PORT: entry(
    '',
    'Port on which `/metrics` is served by itself; for processes without the roles api and pool, which serve it beside their own. The role simulator alone serves none. 0 takes a free one. Absent: none.',
    optional(port),
  ),
  METRICS_HOST: entry('127.0.0.1', 'Address that METRICS_PORT listens on.', text),
  ACTION_ALLOWED_HOSTS: entry(
    '',
    'host or host:port entries that actions may call although they are not public, comma-separated.',
    list,
  ),
  LOG_LEVEL: entry('info', 'fatal, error, warn, info, debug, trace or silent.', logLevel),
  NODE_ENV: entry('', '`production` refuses the simulated network unless ALLOW_SIMULATOR is true.', text),
  ALLOW_SIMULATOR: entry('false', 'Allow the simulator in production.', boolean),
  FAULT_POINT: entry(
    '',
    'For tests, with NODE_ENV=test alone: where this process kills itself, a name of docs/fault-points.md, or `name@N` for the N-th time; of several, separated by commas, at the first that comes.',
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
  about: string;
  /** Throws an `Error` whose message says what would be right. */
  parse: (text: string) => Value;
}

/** Name, default and meaning of every entry, for the README. */
export const configurationReference = Object.entries(entries).map(([name, { default: value, about }]) => ({
  name,
  default: value,
  about,
}));

/** Carries every fault of the environment, one a line. */
class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Reads the environment. Throws one `ConfigurationError` that names every wrong or missing value. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Entry<unknown>>(entries).map(([name, { default: fallback, parse }]) => {
      const given = environment[name]?.trim();
      try {
        return [name, parse(given === undefined || given === '' ? fallback : given)];
      } catch (error) {
        faults.push(`${name}: ${error instanceof Error ? error.message : error}`);
        return [name, undefined];
      }
    }),
  );
  // Every name of `entries` was parsed above, or has left a fault that is thrown below.
  const config = values as Config;
  if (faults.length === 0) faults.push(...contradictions(config));
  if (faults.length > 0) {
    throw new ConfigurationError(
      `The configuration is not usable:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    );
  }
  return config;
}

function contradictions(config: Config): string[] {
  const faults: string[] = [];
  if (config.DATABASE_URL !== null && config.ENCRYPTION_KEY === null) {
    faults.push(
      'ENCRYPTION_KEY: is required with DATABASE_URL (32 bytes in base64: `openssl rand -base64 32`)',
    );
  }
  if ((config.BOOTSTRAP_KEY_ID === null) !== (config.BOOTSTRAP_KEY_SECRET === null)) {
    faults.push('BOOTSTRAP_KEY_ID, BOOTSTRAP_KEY_SECRET: set both or neither');
  }
  if (config.FAULT_POINT !== null && config.NODE_ENV !== 'test') {
    faults.push('FAULT_POINT: is only for tests, with NODE_ENV=test');
  }
  if (
    config.MESSAGING_NETWORK === 'simulator' &&
    config.NODE_ENV === 'production' &&
    !config.ALLOW_SIMULATOR
  ) {
    faults.push(
      'MESSAGING_NETWORK: the simulator is refused with NODE_ENV=production, since anyone could write as any phone; ALLOW_SIMULATOR=true allows it',
    );
  }
  if (config.MESSAGING_NETWORK !== 'simulator' && config.ROLES.has('simulator')) {
    faults.push('ROLES: simulator is a role only where MESSAGING_NETWORK is simulator');
  }
  if (config.MESSAGING_NETWORK === 'simulator' && config.SIMULATOR_URL === null && !hostsSimulator(config)) {
    faults.push(
      'SIMULATOR_URL: is required where the roles are split, unless this process has the role simulator',
    );
  }
  return faults;
}

/** Whether this process runs the simulated network: when told so, and by default when it runs everything. */
export function hostsSimulator(
  config: Pick<Config, 'MESSAGING_NETWORK' | 'SIMULATOR_URL' | 'ROLES'>,
): boolean {
  if (config.ROLES.has('simulator')) return true;
  const runsEverything = config.ROLES.has('api') && config.ROLES.has('pool') && config.ROLES.has('worker');
  return config.MESSAGING_NETWORK === 'simulator' && config.SIMULATOR_URL === null && runsEverything;
}

function entry<Value>(fallback: string, about: string, parse: (text: string) => Value): Entry<Value> {
  return { default: fallback, about, parse };
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
