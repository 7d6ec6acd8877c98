import type {
  DownReason,
  MessagingNetwork,
  SessionEvents,
} from '../adapters/messaging-network/messaging-network.ts';
import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import type { Encryption } from '../shared/encryption.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import { createUnlinkStore } from './session-store.ts';
import {
  claimPendingUnlinks,
  completeUnlink,
  type PendingUnlink,
  postponeUnlink,
} from './unlinking.queries.ts';

export interface UnlinkDeps {
  db: Database;
  network: Pick<MessagingNetwork, 'openSession'>;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  notifications: Pick<Notifications, 'publish'>;
  logger: Logger;
  faultPoint: FaultPoint;
}

const attemptTimeoutMs = 20_000;
const claimSeconds = 60;
const atOnce = 10;
const longestPauseSeconds = 3600;

/**
 * Ends the links of devices that were deleted or logged out: opens a session with the credentials they left, logs out,
 * and wipes the credentials. Tried until the network confirms it, however long. Answers how many there were to end.
 */
export async function unlinkPending(deps: UnlinkDeps): Promise<number> {
  const buried = await claimPendingUnlinks(deps.db, { limit: atOnce, leaseSeconds: claimSeconds });
  await Promise.all(buried.map((tombstone) => settle(deps, tombstone)));
  return buried.length;
}

async function settle(deps: UnlinkDeps, tombstone: PendingUnlink): Promise<void> {
  const { db, notifications, logger, faultPoint } = deps;
  const outcome = await unlink(deps, tombstone);
  if (outcome.unlinked) {
    faultPoint('unlink.after_logout');
    await completeUnlink(db, tombstone);
    // The device may have been started anew, and waits for this.
    notifications.publish('device-changed', tombstone.ref);
    return;
  }
  const seconds = Math.min(longestPauseSeconds, 2 ** tombstone.attempts);
  if (seconds === longestPauseSeconds) {
    logger.warn({ deviceId: tombstone.ref, reason: outcome.reason }, 'a phone can still not be unlinked');
  }
  await postponeUnlink(db, tombstone, { seconds, error: outcome.reason });
}

interface Outcome {
  unlinked: boolean;
  reason: string;
}

/** Reasons that say there is no link: the goal, whoever reached it. */
const unlinkedAlready: ReadonlySet<DownReason> = new Set(['logged_out', 'banned']);

/** One attempt. Never rejects. */
async function unlink(deps: UnlinkDeps, tombstone: PendingUnlink): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>();
  const fail = (reason: string) => outcome.resolve({ unlinked: false, reason });
  const events: SessionEvents = {
    // A code to scan means that no credentials are left to log out with.
    qr: async () => outcome.resolve({ unlinked: true, reason: 'no_credentials' }),
    paired: async () => {
      throw new Error('this session only unlinks');
    },
    up: async () => {
      session.logout().then(
        () => outcome.resolve({ unlinked: true, reason: 'unlinked' }),
        (error: unknown) => fail(String(error)),
      );
    },
    down: async (reason) => outcome.resolve({ unlinked: unlinkedAlready.has(reason), reason }),
    // Nobody is left to read it; refusing it would cut the session before it has unlinked.
    inbound: async () => undefined,
    receipt: async () => undefined,
  };
  const session = deps.network.openSession({
    deviceId: tombstone.ref,
    store: createUnlinkStore(deps, tombstone),
    events,
  });
  const timer = setTimeout(() => fail('timeout'), attemptTimeoutMs);
  const result = await outcome.promise;
  clearTimeout(timer);
  await session.close();
  return result;
}
