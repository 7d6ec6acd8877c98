import { resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { type EncryptionKeys, parseEncryptionKeys } from '../platform/shared/encryption-key.ts';
import { isLoopback, readHostName } from '../platform/shared/hosts.ts';
import {
  type MessagingNetworkName,
  messagingNetworks,
} from '../ports/messaging-network/supported-content.ts';

// Parsers of environment variables. Each throws an `Error` that describes the valid values.

type Role = 'api' | 'pool' | 'worker' | 'simulator';

export function optional<Value>(parse: (text: string) => Value) {
  return (given: string): Value | null => (given === '' ? null : parse(given));
}

export function text(given: string): string {
  return given;
}

/** Printable ASCII, as model names and keys in HTTP headers are. */
export function limitedText(maxLength: number) {
  return (given: string): string => {
    if (given.length <= maxLength && /^[\x21-\x7e]+$/.test(given)) return given;
    throw new Error(`must be at most ${maxLength} printable ASCII characters without spaces`);
  };
}

export function bucketName(given: string): string {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(given)) return given;
  throw new Error('must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens');
}

/** Text that people read. */
export function line(maxLength: number) {
  return (given: string): string => {
    if (given.length <= maxLength && !/\p{Cc}/u.test(given)) return given;
    throw new Error(`must be at most ${maxLength} characters without control characters`);
  };
}

export function brandColor(given: string): string {
  if (/^#[0-9a-f]{6}$/i.test(given)) return given.toLowerCase();
  throw new Error('must be a colour in hex, like #0b5cad');
}

export function path(given: string): string {
  return resolve(given);
}

export function list(given: string): readonly string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function origins(given: string): readonly string[] {
  return list(given).map((origin) => {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return origin;
    throw new Error(
      `${origin} must be an origin as browsers send it, like https://console.example.com, or *`,
    );
  });
}

/** They become part of a header. */
export function frameOrigins(given: string): readonly string[] {
  return list(given).map((origin) => {
    if (/^https?:\/\//.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin)
      return origin;
    throw new Error(`${origin} must be an origin as browsers send it, like https://app.example.com`);
  });
}

export function networks(given: string): readonly string[] {
  return list(given).map((network) => {
    if (ipaddr.isValid(network) || ipaddr.isValidCIDR(network)) return network;
    throw new Error(`${network} must be an address or a network, like 10.0.0.7 or 10.0.0.0/8`);
  });
}

export function hostNames(given: string): readonly string[] {
  return list(given).map((host) => {
    const name = domainToASCII(host);
    if (name !== '' && readHostName(host) !== null && !host.includes(':') && !host.includes('*')) return name;
    throw new Error(`${host} must be a host name without a port, like parley.example.com`);
  });
}

export function integer(min: number, max: number) {
  return (given: string): number => {
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

export function port(given: string): number {
  return integer(0, 65_535)(given);
}

export function boolean(given: string): boolean {
  return oneOf('true', 'false')(given) === 'true';
}

export function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (given: string): Choice => {
    const choice = choices.find((c) => c === given);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

export function logLevel(given: string): string {
  return oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')(given);
}

export function roles(given: string): ReadonlySet<Role> {
  const set = new Set(list(given).map(oneOf('api', 'pool', 'worker', 'simulator')));
  if (set.size === 0) throw new Error('must name at least one role');
  return set;
}

export function url(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new Error('must be an http(s) address');
  return given.replace(/\/+$/, '');
}

/** As the provider writes it, because it must be the same. */
export function issuer(given: string): string {
  const { protocol, hostname, search, hash, username } = URL.canParse(given)
    ? new URL(given)
    : ({} as Partial<URL>);
  const isProtected = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname ?? ''));
  if (isProtected && search === '' && hash === '' && username === '' && given.length <= 1000) return given;
  throw new Error('must be an https address, or an http address of this machine, without a query');
}

export function enabledNetworks(given: string): readonly MessagingNetworkName[] {
  const enabled = [...new Set(list(given).map(oneOf(...messagingNetworks)))];
  if (enabled.length === 0) throw new Error('must name at least one network');
  return enabled;
}

export function domains(given: string): ReadonlySet<string> {
  const set = new Set(list(given).map((domain) => domain.toLowerCase()));
  for (const domain of set)
    if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(domain)) throw new Error(`${domain} is not a domain`);
  return set;
}

/** `name=value` pairs, as OpenTelemetry writes headers in a variable. */
export function headers(given: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    list(given).map((pair) => {
      const [, name = '', value = ''] = /^([\w-]+)=([\x21-\x7e ]*)$/.exec(pair) ?? [];
      if (name === '') throw new Error('must be name=value pairs, separated by commas');
      return [name, decodeURIComponent(value)];
    }),
  );
}

/** The address of a mail server, or `none`. */
export function mailUrl(given: string): string | null {
  if (given === 'none') return null;
  const { protocol, hostname, pathname, search, username, password } = URL.canParse(given)
    ? new URL(given)
    : ({} as Partial<URL>);
  const isPlain = ['', '/', undefined].includes(pathname) && search === '' && hostname !== '';
  if (isPlain && /^smtps?:$/.test(protocol ?? '') && (username === '') === (password === '')) return given;
  throw new Error(
    'must be none, or smtp://USER:PASSWORD@HOST:PORT or smtps://…, with special characters of user and password percent-encoded',
  );
}

export function mailAddress(given: string): string {
  if (/^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,188}[a-z0-9])?$/iu.test(given)) return given;
  throw new Error('must be an e-mail address without a name, like noreply@example.com');
}

export function postgresUrl(given: string): string {
  if (!/^postgres(ql)?:\/\//.test(given)) throw new Error('must begin with postgres:// or postgresql://');
  return given;
}

export function clientVersion(given: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(given)) throw new Error('must be three numbers, like 2.3000.1');
  return given;
}

export function displayName(given: string): string {
  if (/^[\p{L}\p{N} ._-]{1,40}$/u.test(given)) return given;
  throw new Error('must be 1 to 40 letters, digits, spaces, dots, underscores or hyphens');
}

export function dailyLimits(given: string): readonly number[] {
  const parse = integer(0, 1_000_000);
  const limits = list(given).map(parse);
  if (limits.length > 365) throw new Error('must have at most 365 numbers');
  return limits;
}

export function credential(given: string): string {
  if (!/^[A-Za-z0-9_-]{8,128}$/.test(given)) throw new Error('must be 8 to 128 of A-Za-z0-9_-');
  return given;
}

export function encryptionKeys(given: string): EncryptionKeys {
  return parseEncryptionKeys(given.split(',').map((key) => key.trim()));
}
