import { parseArmedFaultPoints } from '../platform/shared/fault-points.ts';
import { parseMessagePrices } from '../tenancy/usage/message-prices.ts';
import { type Entry, entry } from './config-entry.ts';
import { modelEntries } from './config-model-entries.ts';
import {
  boolean,
  brandColor,
  bucketName,
  clientVersion,
  credential,
  dailyLimits,
  displayName,
  domains,
  enabledNetworks,
  encryptionKeys,
  frameOrigins,
  headers,
  hostNames,
  integer,
  issuer,
  limitedText,
  line,
  list,
  logLevel,
  mailAddress,
  mailUrl,
  networks,
  oneOf,
  optional,
  origins,
  path,
  port,
  postgresUrl,
  roles,
  text,
  url,
} from './config-values.ts';

/** Every environment variable. `npm run generate` writes docs/configuration.md from this list. */
export const entries = {
  PORT: entry('3000', 'Port of the partner API. 0 selects a free port.', port),
  HOST: entry('127.0.0.1', 'Address the partner API listens on.', text),
  BASE_URL: entry(
    '',
    'Public base address. Links of `POST /devices/{id}/link` use it (default: the address of the request). So do the simulator’s QR codes (default: `http://HOST:PORT` with the role api, otherwise the simulator’s address).',
    optional(url),
  ),
  DATA_DIR: entry(
    './data',
    'Folder for the embedded database, documents, large media and generated secrets. Parley closes it to other users (mode 0700).',
    path,
  ),
  DATABASE_URL: entry(
    '',
    'Connection URL of an external PostgreSQL (17 or newer, with pg_trgm). Absent: the embedded database.',
    optional(postgresUrl),
  ),
  DATABASE_READ_URL: entry(
    '',
    'Connection URL of a streaming replica of DATABASE_URL, from which the api reads lists. They lag behind the last writes as the replica does. If it fails, the api reads from DATABASE_URL.',
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
    "Address where other processes reach this pool. Default: the address it listens on, with the machine's name if POOL_HOST is 0.0.0.0 or ::.",
    optional(url),
  ),
  POOL_CAPACITY: entry('1000', 'Maximum number of devices that this pool hosts.', integer(0, 1_000_000)),
  LEASE_SECONDS: entry(
    '6',
    'Seconds until other processes take over the devices, conversations and jobs of a process that stopped responding.',
    integer(1, 600),
  ),
  STARTUP_WAIT_SECONDS: entry(
    '60',
    'Seconds that a starting process waits for a database at DATABASE_URL that it cannot reach. 0: it does not wait.',
    integer(0, 3600),
  ),
  STOP_SECONDS: entry(
    '120',
    'Seconds that a stopping process may take to finish running work. After that, it ends at once.',
    integer(1, 3600),
  ),
  ...modelEntries,
  MAIL_URL: entry(
    'none',
    'Mail server that sends invitations, codes and recovery links: smtp://USER:PASSWORD@HOST:PORT (587 if absent), smtps:// (465), or none: links are shown instead. Set it in every process with the role api or worker (docs/people.md).',
    mailUrl,
  ),
  MAIL_FROM: entry('', 'E-mail address of the sender. Required with MAIL_URL.', optional(mailAddress)),
  OIDC_ISSUER: entry(
    '',
    'Address of an identity provider (OpenID Connect) at which people sign in (docs/people.md).',
    optional(issuer),
  ),
  OIDC_CLIENT_ID: entry('', 'Id of Parley at OIDC_ISSUER. Required with it.', optional(limitedText(500))),
  OIDC_CLIENT_SECRET: entry(
    '',
    'Secret of OIDC_CLIENT_ID. Required with OIDC_ISSUER.',
    optional(limitedText(1000)),
  ),
  OIDC_DEFAULT_ROLE: entry(
    '',
    "Role in the partner's staff of people with a verified address of OIDC_ALLOWED_DOMAINS whom nobody invited: admin or support. Absent: they are refused.",
    optional(oneOf('admin', 'support')),
  ),
  OIDC_ALLOWED_DOMAINS: entry(
    '',
    'Domains of the addresses for OIDC_DEFAULT_ROLE, separated by commas, like example.com.',
    domains,
  ),
  MESSAGING_NETWORK: entry(
    'simulator,web',
    'Networks on which devices may be created, separated by commas: simulator, whatsapp (an optional package, see packages/whatsapp), whatsapp_cloud (the official API), telegram (bots of Telegram), web (a chat on websites). The first is the network of devices that are created without `network`.',
    enabledNetworks,
  ),
  WHATSAPP_CLOUD_BASE_URL: entry(
    'https://graph.facebook.com/v26.0',
    'Address of the official API of WhatsApp, with its version. Change it for a proxy.',
    url,
  ),
  MESSAGE_PRICES: entry(
    '',
    'What the official API of WhatsApp charges for a message, after the currency: `EUR: marketing/49=0.1131, utility=0.03, utility/49@2026-10-01=0.05` (docs/channels.md). Parts of a price: the category, the calling code of the contact (without it: all others), the first day in UTC (without it: always). At most 2000; other prices are unknown.',
    parseMessagePrices,
  ),
  TELEGRAM_BASE_URL: entry(
    'https://api.telegram.org',
    'Address of the Bot API of Telegram. Change it for a proxy or a server of your own.',
    url,
  ),
  WHATSAPP_VERSION: entry(
    '',
    'Client version sent to WhatsApp, like 2.3000.1. Absent: the version of the client library, or the newest one after the network refused it.',
    optional(clientVersion),
  ),
  WHATSAPP_CLIENT_NAME: entry(
    '',
    "Name of this client in the phone's list of linked devices. Absent: the client library's.",
    optional(displayName),
  ),
  WHATSAPP_READ_GROUPS: entry(
    'false',
    'Whether linked devices decrypt and confirm messages of groups, channels and status. Parley never answers them.',
    boolean,
  ),
  WHATSAPP_MAX_MEDIA_BYTES: entry(
    '16777216',
    'Largest file of a contact that is downloaded, from linked devices and from the official API. Of a larger one, the caption is kept.',
    integer(0, 67_108_864),
  ),
  WHATSAPP_NEW_CHATS_PER_DAY: entry(
    '',
    'How many new chats a linked device may start on its first, second, … day since the link, like 20,50,100. Later days have no limit.',
    dailyLimits,
  ),
  WHATSAPP_TYPING: entry(
    'false',
    'Whether contacts see that a linked device is typing before it sends.',
    boolean,
  ),
  WHATSAPP_READ_RECEIPTS: entry(
    'false',
    'Whether linked devices report messages of contacts as read once they are stored.',
    boolean,
  ),
  SEND_PACE_SECONDS: entry(
    '0',
    'Average pause in seconds between two messages of a device. Each pause is 0.5 to 1.5 times as long, at random. 0: no pause.',
    integer(0, 60),
  ),
  SIMULATOR_URL: entry(
    '',
    'Address of a simulator in another process. Without it, a process with the roles api, pool and worker hosts a simulator, and a process with only some of these roles does not start. A process with the role simulator always hosts one.',
    optional(url),
  ),
  SIMULATOR_PORT: entry('0', 'Port of the simulator that this process hosts. 0 selects a free port.', port),
  FILE_STORE: entry(
    'local',
    'Storage of documents and of media over 64 KiB: local (under the DATA_DIR that all processes share), or s3.',
    oneOf('local', 's3'),
  ),
  S3_ENDPOINT: entry('', 'Address of an S3-compatible server. Absent: Amazon S3.', optional(url)),
  S3_REGION: entry('us-east-1', 'Region of the bucket. Most other servers ignore it.', limitedText(64)),
  S3_BUCKET: entry(
    '',
    'Bucket of this installation, which exists and has no other files. Required with s3.',
    optional(bucketName),
  ),
  S3_ACCESS_KEY_ID: entry(
    '',
    'Access key that may list, read, write and delete in the bucket. Required with s3.',
    optional(limitedText(256)),
  ),
  S3_SECRET_ACCESS_KEY: entry('', 'Secret of the access key. Required with s3.', optional(limitedText(256))),
  S3_FORCE_PATH_STYLE: entry(
    '',
    'Whether addresses have the bucket in their path instead of the host name. Default: true with S3_ENDPOINT.',
    optional(boolean),
  ),
  ENCRYPTION_KEY: entry(
    '',
    '32 bytes in base64 or hex that encrypt stored secrets. To rotate the key, put the new one first: `new,old` (at most 10, docs/operations.md). Generated in DATA_DIR with the embedded database, required with DATABASE_URL.',
    optional(encryptionKeys),
  ),
  BOOTSTRAP_KEY_ID: entry(
    '',
    'Id of the first API key: 8 to 128 of `A-Za-z0-9_-`. Absent: the first api generates a key and writes it to DATA_DIR/first-api-key.json.',
    optional(credential),
  ),
  BOOTSTRAP_KEY_SECRET: entry(
    '',
    'Secret of the first API key: 8 to 128 of `A-Za-z0-9_-`. Required with BOOTSTRAP_KEY_ID.',
    optional(credential),
  ),
  MAX_UPLOAD_BYTES: entry(
    String(20 * 1024 * 1024),
    'Maximum size of a document in bytes.',
    integer(1, 1024 * 1024 * 1024),
  ),
  DISCLOSURE_DEFAULT: entry(
    'first_reply',
    'How contacts learn that a machine answers, for teams that do not say otherwise: `first_reply`, `every_conversation` or `off` (docs/consent.md). `off` needs DISCLOSURE_OFF_REASON.',
    oneOf('first_reply', 'every_conversation', 'off'),
  ),
  DISCLOSURE_OFF_REASON: entry(
    '',
    'Why contacts of this deployment need no notice, for example because it only serves tests.',
    optional(line(500)),
  ),
  RATE_LIMIT_PER_MINUTE: entry(
    '6000',
    'Requests per minute and API key, over all processes. 0: unlimited.',
    integer(0, 1_000_000_000),
  ),
  INBOUND_RATE_PER_CONTACT: entry(
    '120',
    'Messages per minute that a contact may write to a device. More are answered later. 0: unlimited.',
    integer(0, 1_000_000),
  ),
  INBOUND_RATE_PER_DEVICE: entry(
    '3000',
    'Messages per minute that all contacts together may write to a device. More are answered later. 0: unlimited.',
    integer(0, 1_000_000),
  ),
  INBOUND_MAX_WAIT_MINUTES: entry(
    '10',
    'Longest time that a message over these rates waits. A message that would wait longer is stored but not answered (`rate_limited`).',
    integer(0, 1440),
  ),
  TRUSTED_PROXIES: entry(
    '',
    'Addresses and networks (CIDR) of the proxies in front of the api, comma-separated. Their `X-Forwarded-For` is trusted. Absent: none.',
    networks,
  ),
  ALLOWED_HOSTS: entry(
    '',
    'Host names under which clients and proxies reach this process, comma-separated, besides localhost, IP addresses and the hosts of BASE_URL and POOL_URL. Requests with another Host header get 400, except `/healthz` and `/readyz`.',
    hostNames,
  ),
  CORS_ORIGINS: entry(
    '',
    'Origins that may call the API from a browser, comma-separated. `*` means any. Absent: none.',
    origins,
  ),
  PORTAL_FRAME_ORIGINS: entry(
    '',
    'Origins of the pages that may frame `/console/portal`, comma-separated (docs/portal.md). Absent: none.',
    frameOrigins,
  ),
  METRICS_TOKEN: entry(
    '',
    'Bearer token for `/metrics`: 8 to 128 of `A-Za-z0-9_-`. Absent: only this machine may read the metrics.',
    optional(credential),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: entry(
    '',
    'Address of an OpenTelemetry collector (OTLP over HTTP), like http://127.0.0.1:4318, that gets traces and metrics. Absent: none are sent (docs/metrics.md).',
    optional(url),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: entry(
    '',
    'Headers of the requests to the collector, like `authorization=Bearer abc`; several are separated by commas.',
    headers,
  ),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: entry(
    'false',
    'Whether traces contain the texts of contacts and bots. They then leave Parley, and nobody erases them at the collector.',
    boolean,
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
  BRAND_NAME: entry('Parley', 'Name that the console shows: at most 60 characters.', line(60)),
  BRAND_COLOR: entry('#0b5cad', 'Accent colour of the console, like #0b5cad.', brandColor),
  BRAND_LOGO_URL: entry(
    '',
    'Logo of the console: PNG, JPEG, WebP or GIF of at most 512 KiB on a public address. Fetched once at start, then served from here. Absent: none.',
    optional(url),
  ),
  WEBHOOK_ALLOWED_HOSTS: entry(
    '',
    'Private hosts that webhooks may post to, comma-separated: `host` or `host:port`.',
    list,
  ),
  AUDIT_HEAD_URL: entry(
    '',
    'Address outside of Parley that gets each new head of the audit log by POST, so that a rewritten log can be noticed. May be private. Absent: none.',
    optional(url),
  ),
  LOG_LEVEL: entry('info', 'One of fatal, error, warn, info, debug, trace, silent.', logLevel),
  NODE_ENV: entry('', 'With `production`, the simulator needs ALLOW_SIMULATOR=true.', text),
  ALLOW_SIMULATOR: entry(
    'false',
    'Allow the simulator in production, and on a HOST that other machines can reach.',
    boolean,
  ),
  FAULT_POINT: entry(
    '',
    'For tests, only with NODE_ENV=test: fault points (docs/fault-points.md) at which this process kills itself, comma-separated. `name@N` means the N-th time, and with `:SIGTERM` it stops instead. The first point reached counts.',
    optional(parseArmedFaultPoints),
  ),
} satisfies Record<string, Entry<unknown>>;

type Entries = typeof entries;
export type Config = {
  readonly [Name in keyof Entries]: Entries[Name] extends Entry<infer Value> ? Value : never;
};

/** The rows of the table in docs/configuration.md. */
export const configurationReference = Object.entries(entries).map(
  ([name, { default: value, description }]) => ({
    name,
    default: value,
    description,
  }),
);
