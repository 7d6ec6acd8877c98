import type { MessagingNetwork, NetworkSession, SessionOptions } from '@parley/server/messaging-network';
import { supportedContent } from '@parley/server/supported-content';
import { DEFAULT_CONNECTION_CONFIG, fetchLatestWaWebVersion, type WAVersion } from 'baileys';
import type { SessionLogger } from './library-logger.ts';
import { silenceSignalConsole } from './silence-signal-console.ts';
import { type SessionSettings, WhatsappSession } from './whatsapp-session.ts';

export interface WhatsappOptions {
  /** Client version, such as `2.3000.1`; null for the library's default. */
  version: string | null;
  logger: SessionLogger;
  clientName?: string;
  readsGroups?: boolean;
  maxMediaBytes?: number;
  mediaDeadlineMs?: number;
  newChatsPerDay?: readonly number[];
  showsTyping?: boolean;
  sendsReadReceipts?: boolean;
  fetchVersion?: FetchVersion;
}

type FetchVersion = () => Promise<WAVersion>;

/** Not configurable, because only the TLS certificate authenticates the network. */
const networkUrl = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);

const defaultMaxMediaBytes = 16 * 1024 * 1024;
const defaultMediaDeadlineMs = 30_000;

export class WhatsappNetwork implements MessagingNetwork {
  readonly name = 'whatsapp';
  readonly supportedContent = supportedContent.whatsapp;
  readonly #sessions = new Set<WhatsappSession>();
  #version: WAVersion;
  /** Null when the version is configured. */
  readonly #fetchVersion: FetchVersion | null;
  #fetching: Promise<void> | null = null;
  readonly #settings: Omit<SessionSettings, 'url' | 'version' | 'logger' | 'outdated'>;
  readonly #logger: SessionLogger;
  readonly #url: string;

  /** `fakeUrl` is a network on 127.0.0.1, for tests. Throws when the version is invalid. */
  constructor(options: WhatsappOptions, fakeUrl?: string) {
    const { version, logger, fetchVersion = fetchNewestVersion } = options;
    if (fakeUrl !== undefined && new URL(fakeUrl).hostname !== '127.0.0.1')
      throw new Error('the URL of a fake network must have the host 127.0.0.1');
    this.#url = fakeUrl ?? networkUrl;
    this.#version = version === null ? DEFAULT_CONNECTION_CONFIG.version : parseVersion(version);
    this.#fetchVersion = version === null ? fetchVersion : null;
    this.#settings = {
      clientName: options.clientName ?? null,
      readsGroups: options.readsGroups ?? false,
      newChatsPerDay: options.newChatsPerDay ?? [],
      maxMediaBytes: options.maxMediaBytes ?? defaultMaxMediaBytes,
      mediaDeadlineMs: options.mediaDeadlineMs ?? defaultMediaDeadlineMs,
      showsTyping: options.showsTyping ?? false,
      sendsReadReceipts: options.sendsReadReceipts ?? false,
      isFake: fakeUrl !== undefined,
    };
    this.#logger = logger;
    silenceSignalConsole(console);
  }

  openSession(options: SessionOptions): NetworkSession {
    const session = new WhatsappSession(
      options,
      {
        url: this.#url,
        version: this.#version,
        logger: this.#logger,
        ...this.#settings,
        outdated: () => this.#updateVersion(),
      },
      () => this.#sessions.delete(session),
    );
    this.#sessions.add(session);
    void session.start();
    return session;
  }

  /** Later sessions use the newest version, unless one is configured. */
  #updateVersion(): void {
    const fetchVersion = this.#fetchVersion;
    const version = this.#version.join('.');
    if (fetchVersion === null) {
      this.#logger.error({ version }, `the network refuses this client version: ${remedy}`);
      return;
    }
    this.#fetching ??= fetchVersion()
      .then((newest) => {
        this.#version = newest;
        this.#logger.warn({ version, newest: newest.join('.') }, 'the network refused the client version');
      })
      .catch((error: unknown) => {
        const text = `the network refuses this client version, and the newest one is unknown: ${remedy}`;
        this.#logger.error({ version, err: error }, text);
      })
      .finally(() => {
        this.#fetching = null;
      });
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions];
    for (const session of sessions) await session.close();
    await Promise.all(sessions.map((session) => session.settled()));
  }
}

const remedy = 'set WHATSAPP_VERSION to a newer one';
const fetchTimeoutMs = 10_000;

async function fetchNewestVersion(): Promise<WAVersion> {
  const { version, isLatest, error } = await fetchLatestWaWebVersion({
    signal: AbortSignal.timeout(fetchTimeoutMs),
  });
  if (!isLatest) throw new Error('the version could not be read', { cause: error });
  return version;
}

function parseVersion(text: string): WAVersion {
  const [major, minor, patch] = text.split('.').map(Number);
  if (major === undefined || minor === undefined || patch === undefined || !/^\d+\.\d+\.\d+$/.test(text))
    throw new Error(`WHATSAPP_VERSION must be a version like 2.3000.1, not ${text}`);
  return [major, minor, patch];
}
