import {
  isAccountInUse,
  isPhoneInUse,
  type Ownership,
  writeAccount,
  writeDisconnected,
  writePaired,
  writeQr,
  writeRestriction,
  writeStopped,
  writeUnlinked,
} from '../devices/session-state.sql.ts';
import type { Database } from '../platform/database/database.ts';
import { nullIfLocked } from '../platform/database/lock-timeout.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import type { GroupedRetries } from '../platform/shared/grouped-retries.ts';
import {
  type AccountState,
  type DownReason,
  type NewChatRestriction,
  NotOwner,
} from '../ports/messaging-network/messaging-network.ts';
import type { ConnectedBatcher } from './connected-batcher.ts';

/** The phone that scanned the code is linked to another device. */
export class PhoneInUse extends Error {
  override readonly name = 'PhoneInUse';
}

/** The account with the credentials is that of another connected device. */
export class AccountInUse extends Error {
  override readonly name = 'AccountInUse';
}

export type EndReason =
  | 'qr_timeout'
  | 'phone_in_use'
  | 'pairing_refused'
  | 'code_refused'
  | 'too_many_codes'
  | 'credentials_invalid'
  | 'account_in_use';

/** Writes session events to the device's row. Throws `NotOwner` when the device has another owner, is stopped or deleted. */
export interface SessionRecord {
  qr(code: { text: string; expiresAt: Date }): Promise<void>;
  /** Throws `PhoneInUse`. */
  paired(phoneNumber: string): Promise<void>;
  /** Throws `AccountInUse`. */
  up(phoneNumber: string | null): Promise<void>;
  /** The device stays started and reconnects. */
  down(reason: LostReason, until?: Date): Promise<void>;
  restricted(restriction: NewChatRestriction | null): Promise<void>;
  account(state: AccountState): Promise<void>;
  stopped(reason: EndReason): Promise<void>;
  /** Deletes the credentials. `banned` blocks the device for good. */
  unlinked(reason: 'logged_out' | 'banned'): Promise<void>;
}

type LostReason = Extract<
  DownReason,
  'connection_lost' | 'replaced' | 'restart_required' | 'suspended' | 'client_outdated' | 'unavailable'
>;

export interface SessionRecordDeps {
  db: Database;
  batcher: ConnectedBatcher;
  notifications: Pick<Notifications, 'publish'>;
  retries: Pick<GroupedRetries, 'run'>;
}

export function createSessionRecord(
  { db, batcher, notifications, retries }: SessionRecordDeps,
  owner: Ownership,
): SessionRecord {
  const written = async (write: () => Promise<boolean>): Promise<void> => {
    if (!(await retries.run(owner.teamId, () => nullIfLocked(write)))) throw new NotOwner(owner.deviceId);
    faultPoint('session.after_write');
    notifications.publish('session-changed', owner.deviceId);
  };
  return {
    qr: (code) => written(() => writeQr(db, owner, code)),
    async paired(phoneNumber) {
      try {
        await written(() => writePaired(db, owner, phoneNumber));
      } catch (error) {
        throw isPhoneInUse(error)
          ? new PhoneInUse('the phone is linked to another device', { cause: error })
          : error;
      }
    },
    async up(phoneNumber) {
      try {
        await written(() => batcher.record(owner, phoneNumber));
      } catch (error) {
        throw isAccountInUse(error)
          ? new AccountInUse('the account is that of another connected device', { cause: error })
          : error;
      }
    },
    down: (reason, until) => written(() => writeDisconnected(db, owner, reason, until ?? null)),
    restricted: (restriction) => written(() => writeRestriction(db, owner, restriction)),
    account: (state) => written(() => writeAccount(db, owner, state)),
    stopped: (reason) => written(() => writeStopped(db, owner, reason)),
    unlinked: (reason) => written(() => writeUnlinked(db, owner, reason, { blocked: reason === 'banned' })),
  };
}
