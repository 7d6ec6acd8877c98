import {
  type MessagingNetwork,
  type NetworkSession,
  SendPostponed,
  type SessionOptions,
} from '../messaging-network.ts';
import { PushedSession } from '../pushed-session.ts';
import { networkCapabilities } from '../supported-content.ts';
import { toSendError } from './refusals.ts';
import { findDownReason, openNumber } from './session.ts';
import type { CloudOptions } from './session-events.ts';

/** The official API of WhatsApp. */
export class WhatsappCloudNetwork implements MessagingNetwork {
  readonly name = 'whatsapp_cloud';
  readonly supportedContent = new Set(networkCapabilities.whatsapp_cloud.content);
  readonly #options: CloudOptions;
  readonly #sessions = new Set<NetworkSession>();

  constructor(options: CloudOptions) {
    this.#options = options;
  }

  openSession(session: SessionOptions): NetworkSession {
    const opened = new PushedSession({
      session,
      logger: this.#options.logger,
      open: (signal) => openNumber(session, this.#options, signal),
      findDownReason,
      toSendError: (error) => (error instanceof SendPostponed ? error : toSendError(error)),
      notBegun: new SendPostponed(2),
      onEnded: () => this.#sessions.delete(opened),
    });
    this.#sessions.add(opened);
    return opened;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}
