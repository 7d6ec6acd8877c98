import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from 'baileys';
import type {
  MessagingNetwork,
  NetworkSession,
  SessionOptions,
} from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import { supportedContent } from '../../../server/src/adapters/messaging-network/supported-content.ts';
import type { SessionLogger } from './library-logger.ts';
import { silenceSignalConsole } from './silence-signal-console.ts';
import { WhatsappSession } from './whatsapp-session.ts';

export interface WhatsappOptions {
  /** Client version, such as `2.3000.1`; null for the library's default. */
  version: string | null;
  logger: SessionLogger;
}

/** Not configurable, because only the TLS certificate authenticates the network. */
const networkUrl = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);

export class WhatsappNetwork implements MessagingNetwork {
  readonly name = 'whatsapp';
  readonly supportedContent = supportedContent.whatsapp;
  readonly #sessions = new Set<WhatsappSession>();
  readonly #version: WAVersion;
  readonly #logger: SessionLogger;
  readonly #url: string;

  /** `fakeUrl` is a network on 127.0.0.1, for tests. Throws when the version is invalid. */
  constructor({ version, logger }: WhatsappOptions, fakeUrl?: string) {
    if (fakeUrl !== undefined && new URL(fakeUrl).hostname !== '127.0.0.1')
      throw new Error('the URL of a fake network must have the host 127.0.0.1');
    this.#url = fakeUrl ?? networkUrl;
    this.#version = version === null ? DEFAULT_CONNECTION_CONFIG.version : parseVersion(version);
    this.#logger = logger;
    silenceSignalConsole(console);
  }

  openSession(options: SessionOptions): NetworkSession {
    const session = new WhatsappSession(
      options,
      { url: this.#url, version: this.#version, logger: this.#logger },
      () => this.#sessions.delete(session),
    );
    this.#sessions.add(session);
    void session.start();
    return session;
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions];
    for (const session of sessions) await session.close();
    await Promise.all(sessions.map((session) => session.settled()));
  }
}

function parseVersion(text: string): WAVersion {
  const [major, minor, patch] = text.split('.').map(Number);
  if (major === undefined || minor === undefined || patch === undefined || !/^\d+\.\d+\.\d+$/.test(text))
    throw new Error(`WHATSAPP_VERSION must be a version like 2.3000.1, not ${text}`);
  return [major, minor, patch];
}
