import type { MessagingNetwork, NetworkSession, SessionOptions } from '../messaging-network.ts';
import { networkCapabilities } from '../supported-content.ts';
import { CloudSession } from './session.ts';
import type { CloudOptions } from './session-events.ts';

/** The official API of WhatsApp. */
export class WhatsappCloudNetwork implements MessagingNetwork {
  readonly name = 'whatsapp_cloud';
  readonly supportedContent = new Set(networkCapabilities.whatsapp_cloud.content);
  readonly #options: CloudOptions;
  readonly #sessions = new Set<CloudSession>();

  constructor(options: CloudOptions) {
    this.#options = options;
  }

  openSession(options: SessionOptions): NetworkSession {
    const session = new CloudSession(options, this.#options, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    session.start();
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}
