import { createBoundedMap } from '../../../platform/shared/bounded-map.ts';
import { SendPostponed } from '../messaging-network.ts';
import { PushedNetwork } from '../pushed-session.ts';
import { toSendError } from './refusals.ts';
import type { AccountPause } from './send-limits.ts';
import { findDownReason, openNumber } from './session.ts';
import type { CloudOptions } from './session-events.ts';

/** Of business accounts. */
const maxPauses = 10_000;

/** The official API of WhatsApp. */
export class WhatsappCloudNetwork extends PushedNetwork {
  constructor(options: CloudOptions) {
    const pauses = createBoundedMap<string, AccountPause>(maxPauses);
    const pauseOf = (businessAccount: string): AccountPause => {
      const pause = pauses.get(businessAccount) ?? { until: 0 };
      pauses.set(businessAccount, pause);
      return pause;
    };
    super({
      name: 'whatsapp_cloud',
      logger: options.logger,
      open: (session, signal) => openNumber(session, { ...options, pauseOf }, signal),
      findDownReason,
      toSendError: (error) => (error instanceof SendPostponed ? error : toSendError(error)),
    });
  }
}
