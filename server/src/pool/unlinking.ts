import { selectSessionNetwork } from '../devices/device-sessions.sql.ts';
import type { Database } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { Encryption } from '../platform/shared/encryption.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { OpenedNetworks } from '../ports/messaging-network/create-messaging-network.ts';
import type {
  ContactDirectory,
  DownReason,
  SessionEvents,
} from '../ports/messaging-network/messaging-network.ts';
import {
  claimPendingUnlinks,
  type PendingUnlink,
  postponeDeletion,
} from '../records/external-deletions/external-deletions.sql.ts';
import { createUnlinkStore } from './session-store.ts';
import { completeUnlink } from './unlinking.queries.ts';

export interface UnlinkDeps {
  db: Database;
  network: Pick<OpenedNetworks, 'openSession'>;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  notifications: Pick<Notifications, 'publish'>;
  logger: Logger;
}

const attemptTimeoutMs = 20_000;
const claimSeconds = 60;
const maxAttempts = 10;
const longestPauseSeconds = 3600;

/** Unlinks the phones of deleted or logged-out devices. Returns the number of attempts. Failed ones are retried. */
export async function unlinkPending(deps: UnlinkDeps): Promise<number> {
  const pending = await claimPendingUnlinks(deps.db, { limit: maxAttempts, leaseSeconds: claimSeconds });
  await Promise.all(pending.map((unlink) => processUnlink(deps, unlink)));
  return pending.length;
}

async function processUnlink(deps: UnlinkDeps, pending: PendingUnlink): Promise<void> {
  const { db, notifications, logger } = deps;
  const outcome = await attemptUnlink(deps, pending);
  if (outcome.unlinked) {
    faultPoint('unlink.after_logout');
    await completeUnlink(db, pending);
    // The device may have been started again. It opens its session after the unlink.
    notifications.publish('device-changed', pending.ref);
    return;
  }
  const seconds = Math.min(longestPauseSeconds, 2 ** pending.attempts);
  if (seconds === longestPauseSeconds) {
    logger.warn(
      { deviceId: pending.ref, reason: outcome.reason },
      'the phone of a device could not be unlinked; retrying every hour',
    );
  }
  await postponeDeletion(db, pending, { seconds, error: outcome.reason });
}

interface Outcome {
  unlinked: boolean;
  reason: string;
}

const unlinkedReasons: ReadonlySet<DownReason> = new Set(['logged_out', 'banned', 'credentials_invalid']);

/** The session stores no message. */
const noContacts: ContactDirectory = {
  identify: async ({ number }) => number ?? '',
  findAddress: async () => null,
};

async function attemptUnlink(deps: UnlinkDeps, pending: PendingUnlink): Promise<Outcome> {
  const network = await selectSessionNetwork(deps.db, pending.ref);
  const outcome = Promise.withResolvers<Outcome>();
  const fail = (reason: string) => outcome.resolve({ unlinked: false, reason });
  const events: SessionEvents = {
    // The network shows a code only when no credentials are stored.
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
    down: async (reason) => outcome.resolve({ unlinked: unlinkedReasons.has(reason), reason }),
    // Accepts the message, because a rejection would close the session before the logout.
    inbound: async () => undefined,
    restricted: async () => undefined,
    account: async () => undefined,
    templates: async () => undefined,
    receipt: async () => undefined,
  };
  const session = deps.network.openSession({
    deviceId: pending.ref,
    network,
    store: createUnlinkStore(deps, pending),
    contacts: noContacts,
    events,
    findSent: async () => null,
  });
  const timer = setTimeout(() => fail('timeout'), attemptTimeoutMs);
  const result = await outcome.promise;
  clearTimeout(timer);
  await session.close();
  return result;
}
