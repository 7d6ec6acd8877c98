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
  /** The client version told to the network, as `2.3000.1`; null for the library's own. */
  version: string | null;
  logger: SessionLogger;
}

/** The network's own address. Its name in the certificate of the TLS connection is all that says who answers there. */
const networkUrl = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);

/** WhatsApp through linked devices. Every session has a socket of its own. */
export class WhatsappNetwork implements MessagingNetwork {
  readonly name = 'whatsapp';
  readonly supportedContent = supportedContent.whatsapp;
  readonly #sessions = new Set<WhatsappSession>();
  readonly #version: WAVersion;
  readonly #logger: SessionLogger;
  readonly #url: string;

  /** `fakeUrl`: for tests, a network on this machine's loopback. Throws on a version that is none. */
  constructor({ version, logger }: WhatsappOptions, fakeUrl?: string) {
    if (fakeUrl !== undefined && new URL(fakeUrl).hostname !== '127.0.0.1')
      throw new Error('a fake network is only to be found on 127.0.0.1');
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
    throw new Error(`${text} is not a version like 2.3000.1`);
  return [major, minor, patch];
}
