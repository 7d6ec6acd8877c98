import { createBoundedMap } from '../../../platform/shared/bounded-map.ts';
import { SendPostponed } from '../messaging-network.ts';

interface Bucket {
  level: number;
  at: number;
}

/** A contact gets one message in 6 seconds on average, and up to this many at once. */
const contactBurst = 45;
const contactPerSecond = 1 / 6;
/** A bucket of a contact is full again after some minutes, so few need to be kept. */
const maxContacts = 10_000;

/** Takes one message from the allowances of the number and of the contact. Throws `SendPostponed` if one has none. */
export type TakeAllowance = (contact: string) => void;

/** The network refuses more. `now` is in milliseconds. */
export function createSendLimits(
  perSecond: number,
  now: () => number = () => performance.now(),
): TakeAllowance {
  const number: Bucket = { level: perSecond, at: now() };
  const contacts = createBoundedMap<string, Bucket>(maxContacts);
  const refill = (bucket: Bucket, burst: number, rate: number) => {
    const at = now();
    bucket.level = Math.min(burst, bucket.level + ((at - bucket.at) / 1000) * rate);
    bucket.at = at;
  };
  return (contact) => {
    const own = contacts.get(contact) ?? { level: contactBurst, at: now() };
    contacts.set(contact, own);
    refill(number, perSecond, perSecond);
    refill(own, contactBurst, contactPerSecond);
    const wait = Math.max((1 - number.level) / perSecond, (1 - own.level) / contactPerSecond);
    if (wait > 0) throw new SendPostponed(wait);
    number.level -= 1;
    own.level -= 1;
  };
}
