import { createBoundedMap } from '../../../platform/shared/bounded-map.ts';
import { SendPostponed } from '../messaging-network.ts';
import { GraphRefusal } from './graph-client.ts';
import { throttleOf } from './refusals.ts';

interface Bucket {
  level: number;
  at: number;
}

/** A contact gets one message in 6 seconds on average, and up to this many at once. */
const contactBurst = 45;
const contactPerSecond = 1 / 6;
/** A bucket of a contact is full again after some minutes, so few need to be kept. */
const maxContacts = 10_000;

/** The network told the numbers of a business account to send nothing until this time. */
export interface AccountPause {
  until: number;
}

export interface SendLimits {
  /** Takes one message from the allowances. Throws `SendPostponed` if the number, its account or the contact has none. */
  take(contact: string): void;
  /** A throttled number or account sends nothing until the time that the network names, because more calls would prolong it. */
  learn(error: unknown): void;
}

interface SendLimitOptions {
  perSecond: number;
  /** Shared by the numbers of a business account. */
  account: AccountPause;
  /** In milliseconds. */
  now?: () => number;
}

/** The network refuses more. */
export function createSendLimits({
  perSecond,
  account,
  now = () => performance.now(),
}: SendLimitOptions): SendLimits {
  const number: Bucket = { level: perSecond, at: now() };
  const contacts = createBoundedMap<string, Bucket>(maxContacts);
  let pausedUntil = 0;
  const refill = (bucket: Bucket, burst: number, rate: number) => {
    const at = now();
    bucket.level = Math.min(burst, bucket.level + ((at - bucket.at) / 1000) * rate);
    bucket.at = at;
  };
  return {
    take(contact) {
      const own = contacts.get(contact) ?? { level: contactBurst, at: now() };
      contacts.set(contact, own);
      refill(number, perSecond, perSecond);
      refill(own, contactBurst, contactPerSecond);
      const wait = Math.max(
        (1 - number.level) / perSecond,
        (1 - own.level) / contactPerSecond,
        (Math.max(pausedUntil, account.until) - now()) / 1000,
      );
      if (wait > 0) throw new SendPostponed(wait);
      number.level -= 1;
      own.level -= 1;
    },
    learn(error) {
      const throttle = error instanceof GraphRefusal ? throttleOf(error) : null;
      if (throttle === null) return;
      const until = now() + throttle.seconds * 1000;
      if (throttle.scope === 'number') pausedUntil = until;
      if (throttle.scope === 'account') account.until = until;
    },
  };
}
