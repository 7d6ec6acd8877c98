import { SendPostponed } from '../messaging-network.ts';
import { PushedNetwork } from '../pushed-session.ts';
import { toSendError } from './refusals.ts';
import { findDownReason, openNumber } from './session.ts';
import type { CloudOptions } from './session-events.ts';

/** The official API of WhatsApp. */
export class WhatsappCloudNetwork extends PushedNetwork {
  constructor(options: CloudOptions) {
    super({
      name: 'whatsapp_cloud',
      logger: options.logger,
      open: (session, signal) => openNumber(session, options, signal),
      findDownReason,
      toSendError: (error) => (error instanceof SendPostponed ? error : toSendError(error)),
    });
  }
}
