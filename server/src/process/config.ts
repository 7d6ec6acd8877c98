import { readFileSync } from 'node:fs';
import { isLoopback } from '../platform/shared/hosts.ts';
import { reachableHost } from '../platform/shared/listening.ts';
import { type Config, entries } from './config-entries.ts';
import type { Entry } from './config-entry.ts';
import { describeProblem, fileVariable, secretNames } from './config-report.ts';

export type { Config };

type Environment = Readonly<Record<string, string | undefined>>;

class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Reads the environment. Throws one `ConfigurationError` that names every wrong or missing value. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Entry<unknown>>(entries).map(([name, { default: fallback, parse }]) => {
      let given = environment[name]?.trim();
      try {
        if (secretNames.includes(name)) given = readSecret(environment, name);
        return [name, parse(given === undefined || given === '' ? fallback : given)];
      } catch (error) {
        problems.push(`${name}: ${describeProblem(name, given ?? '', error)}`);
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

function readSecret(environment: Environment, name: string): string | undefined {
  const given = environment[name]?.trim();
  const path = environment[fileVariable(name)]?.trim();
  if (path === undefined || path === '') return given;
  if (given !== undefined && given !== '') throw new Error(`set it or ${fileVariable(name)}, not both`);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`cannot read ${path} of ${fileVariable(name)}`, { cause: error });
  }
}

function findContradictions(config: Config): string[] {
  const problems: string[] = [];
  if (config.DATABASE_URL !== null && config.ENCRYPTION_KEY === null) {
    problems.push(
      'ENCRYPTION_KEY: is required with DATABASE_URL (32 bytes in base64: `openssl rand -base64 32`)',
    );
  }
  if (config.DATABASE_READ_URL !== null && config.DATABASE_URL === null) {
    problems.push('DATABASE_READ_URL: is only allowed with DATABASE_URL');
  }
  if ((config.BOOTSTRAP_KEY_ID === null) !== (config.BOOTSTRAP_KEY_SECRET === null)) {
    problems.push('BOOTSTRAP_KEY_ID, BOOTSTRAP_KEY_SECRET: set both or neither');
  }
  if (config.EMBEDDING_MODEL !== null && config.EMBEDDING_BASE_URL === null) {
    problems.push('EMBEDDING_BASE_URL: is required with EMBEDDING_MODEL, like https://api.openai.com/v1');
  }
  if (config.EMBEDDING_MODEL === null && (config.EMBEDDING_BASE_URL ?? config.EMBEDDING_API_KEY) !== null) {
    problems.push('EMBEDDING_MODEL: is required with EMBEDDING_BASE_URL and EMBEDDING_API_KEY');
  }
  if (config.FAULT_POINT !== null && config.NODE_ENV !== 'test') {
    problems.push('FAULT_POINT: is only allowed with NODE_ENV=test');
  }
  if (
    config.MESSAGING_NETWORK.includes('simulator') &&
    config.NODE_ENV === 'production' &&
    !config.ALLOW_SIMULATOR
  ) {
    problems.push(
      'MESSAGING_NETWORK: simulator is not allowed with NODE_ENV=production, because anyone could send messages as any phone; set ALLOW_SIMULATOR=true to allow it',
    );
  }
  const servesOthers = config.ROLES.has('api') && !isLoopback(config.HOST.toLowerCase());
  if (config.MESSAGING_NETWORK.includes('simulator') && servesOthers && !config.ALLOW_SIMULATOR) {
    problems.push(
      `HOST: ${config.HOST} is reachable from other machines, and anyone who reaches the simulator could send messages as any phone; set ALLOW_SIMULATOR=true to allow it, or MESSAGING_NETWORK to another network`,
    );
  }
  if (!config.MESSAGING_NETWORK.includes('simulator') && config.ROLES.has('simulator')) {
    problems.push('ROLES: the role simulator requires MESSAGING_NETWORK=simulator');
  }
  if (
    config.MESSAGING_NETWORK.includes('simulator') &&
    config.SIMULATOR_URL === null &&
    !hostsSimulator(config)
  ) {
    problems.push(
      'SIMULATOR_URL: is required unless this process has the role simulator or the roles api, pool and worker',
    );
  }
  if (config.DISCLOSURE_DEFAULT === 'off' && config.DISCLOSURE_OFF_REASON === null)
    problems.push('DISCLOSURE_OFF_REASON: is required with DISCLOSURE_DEFAULT=off');
  return [
    ...problems,
    ...findFileStoreContradictions(config),
    ...findMailContradictions(config),
    ...findOidcContradictions(config),
    ...findModelContradictions(config),
  ];
}

/** The address of a request does not serve for links in mails, because anybody can send the request. */
function findMailContradictions(config: Config): string[] {
  const { MAIL_URL: url, MAIL_FROM: from } = config;
  if (url === null) return from === null ? [] : ['MAIL_FROM: has no effect without MAIL_URL'];
  const isLocal = isLoopback(config.HOST.toLowerCase());
  return [
    ...(from === null ? ['MAIL_FROM: is required with MAIL_URL, like noreply@example.com'] : []),
    ...(config.BASE_URL === null && !isLocal
      ? ['BASE_URL: is required with MAIL_URL, because links in mails begin with it']
      : []),
  ];
}

/** The provider sends browsers back only to an address that it knows, so it is not that of a request. */
function findOidcContradictions(config: Config): string[] {
  const { OIDC_ISSUER: issuer, OIDC_DEFAULT_ROLE: role, OIDC_ALLOWED_DOMAINS: domains } = config;
  const credentials = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  if (issuer === null) {
    const given = [...credentials, 'OIDC_DEFAULT_ROLE' as const].filter((name) => config[name] !== null);
    const useless = [...given, ...(domains.size > 0 ? ['OIDC_ALLOWED_DOMAINS'] : [])];
    return useless.map((name) => `${name}: has no effect without OIDC_ISSUER`);
  }
  return [
    ...credentials
      .filter((name) => config[name] === null)
      .map((name) => `${name}: is required with OIDC_ISSUER`),
    ...((role === null) === (domains.size === 0)
      ? []
      : ['OIDC_DEFAULT_ROLE, OIDC_ALLOWED_DOMAINS: set both or neither']),
    ...(config.BASE_URL === null && !isLoopback(config.HOST.toLowerCase())
      ? ['BASE_URL: is required with OIDC_ISSUER, because the provider sends browsers back to it']
      : []),
  ];
}

/** Where links in mails lead. */
export const linkBase = ({ BASE_URL, HOST, PORT }: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT'>): string =>
  BASE_URL ?? `http://${reachableHost(HOST)}:${PORT}`;

const s3Settings = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

function findFileStoreContradictions(config: Config): string[] {
  if (config.FILE_STORE === 's3') {
    const missing = s3Settings.filter((name) => config[name] === null);
    return missing.map((name) => `${name}: is required with FILE_STORE=s3`);
  }
  const unused = ([...s3Settings, 'S3_ENDPOINT'] as const).filter((name) => config[name] !== null);
  return unused.map((name) => `${name}: has no effect with FILE_STORE=${config.FILE_STORE}; set s3`);
}

const needsKey: ReadonlySet<string> = new Set(['openai', 'anthropic', 'google', 'mistral', 'openai-hosted']);

function findModelContradictions(config: Config): string[] {
  const problems: string[] = [];
  const { ASSISTANT_PROVIDER: provider } = config;
  const require = (name: keyof Config, because: string) => {
    if (config[name] === null) problems.push(`${name}: is required with ${because}`);
  };
  if (provider !== 'embedded') require('MODEL_LEVEL_1', `ASSISTANT_PROVIDER=${provider}`);
  if (needsKey.has(provider)) require('MODEL_API_KEY', `ASSISTANT_PROVIDER=${provider}`);
  if (provider === 'openai-compatible') require('MODEL_BASE_URL', 'ASSISTANT_PROVIDER=openai-compatible');
  if (provider === 'embedded' && config.MODEL_LEVEL_1 !== null) {
    problems.push(
      'MODEL_LEVEL_1: has no effect with ASSISTANT_PROVIDER=embedded; set ASSISTANT_PROVIDER to the provider of the model',
    );
  }
  if (provider === 'embedded' && config.MODEL_VISION) {
    problems.push('MODEL_VISION: has no effect with ASSISTANT_PROVIDER=embedded, which reads no images');
  }
  return [...problems, ...findSpeechContradictions(config)];
}

const speechSettings = [
  'SPEECH_BASE_URL',
  'SPEECH_API_KEY',
  'SPEECH_MODEL',
  'SPEECH_VOICE',
  'TRANSCRIPTION_MODEL',
] as const;

function findSpeechContradictions(config: Config): string[] {
  const { SPEECH_PROVIDER: provider, SPEECH_MODEL: model, SPEECH_VOICE: voice } = config;
  if (provider === 'none') {
    const unused = speechSettings.filter((name) => config[name] !== null);
    return unused.map((name) => `${name}: has no effect with SPEECH_PROVIDER=none; set openai-compatible`);
  }
  const problems: string[] = [];
  if (config.SPEECH_BASE_URL === null) {
    problems.push(`SPEECH_BASE_URL: is required with SPEECH_PROVIDER=${provider}`);
  }
  if (model === null && config.TRANSCRIPTION_MODEL === null) {
    problems.push('SPEECH_MODEL, TRANSCRIPTION_MODEL: set at least one of them, or SPEECH_PROVIDER=none');
  }
  if ((model === null) !== (voice === null)) problems.push('SPEECH_MODEL, SPEECH_VOICE: set both or neither');
  return problems;
}

/** Returns the host names, in lower case, under which the servers of this process respond besides localhost. */
export function listedHosts({
  ALLOWED_HOSTS,
  BASE_URL,
  POOL_URL,
  POOL_HOST,
}: Pick<Config, 'ALLOWED_HOSTS' | 'BASE_URL' | 'POOL_URL' | 'POOL_HOST'>): readonly string[] {
  const urls = [BASE_URL, POOL_URL].filter((address) => address !== null);
  const own = POOL_URL === null ? [reachableHost(POOL_HOST).toLowerCase()] : [];
  return [...ALLOWED_HOSTS, ...own, ...urls.map((address) => new URL(address).hostname)];
}

/** Returns a folder on the disk of the database or of the files, null if both are elsewhere. */
export const findLocalDisk = (
  config: Pick<Config, 'DATABASE_URL' | 'FILE_STORE' | 'DATA_DIR'>,
): string | null => (config.DATABASE_URL === null || config.FILE_STORE === 'local' ? config.DATA_DIR : null);

/** Returns whether this process hosts the simulator: with the role simulator, or by default if it has all other roles. */
export function hostsSimulator(
  config: Pick<Config, 'MESSAGING_NETWORK' | 'SIMULATOR_URL' | 'ROLES'>,
): boolean {
  if (config.ROLES.has('simulator')) return true;
  const runsEverything = config.ROLES.has('api') && config.ROLES.has('pool') && config.ROLES.has('worker');
  return config.MESSAGING_NETWORK.includes('simulator') && config.SIMULATOR_URL === null && runsEverything;
}
