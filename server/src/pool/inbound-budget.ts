import { createBoundedMap } from '../platform/shared/bounded-map.ts';

/** Messages per minute; 0 means unlimited. All messages of a minute may arrive at once. */
export interface InboundRates {
  perContact: number;
  perDevice: number;
  /** A message is not answered if the budget delays its answer by more than this. */
  maxWaitSeconds: number;
}

export const unlimited: InboundRates = { perContact: 0, perDevice: 0, maxWaitSeconds: 0 };

export interface InboundBudget {
  /** Uses budget for one message. Returns the seconds until it may be answered, or null if that would take too long. */
  take(deviceId: string, contactNumber: string): number | null;
}

const windowMs = 60_000;
const maxContacts = 50_000;
const maxDevices = 10_000;

/**
 * Limits how many inbound messages of this process's devices are answered per contact and per device (generic cell rate
 * algorithm). For each contact and each device it keeps one time in ms of `elapsed`, `clearAt`: when all messages so far
 * would have arrived at exactly the allowed rate. A message waits if `clearAt` is more than a minute ahead.
 */
export function createInboundBudget(
  { perContact, perDevice, maxWaitSeconds }: InboundRates,
  { elapsed = () => performance.now() } = {},
): InboundBudget {
  const contacts = createBoundedMap<string, number>(maxContacts);
  const devices = createBoundedMap<string, number>(maxDevices);
  return {
    take(deviceId, contactNumber) {
      const now = elapsed();
      const chat = `${deviceId} ${contactNumber}`;
      const addMessage = (clearAt: number | undefined, rate: number) =>
        rate === 0 ? now : Math.max(clearAt ?? now, now) + windowMs / rate;
      const contactClearAt = addMessage(contacts.get(chat), perContact);
      const deviceClearAt = addMessage(devices.get(deviceId), perDevice);
      const waitMs = Math.max(contactClearAt, deviceClearAt) - now - windowMs;
      if (waitMs > maxWaitSeconds * 1000) return null;
      contacts.set(chat, contactClearAt);
      devices.set(deviceId, deviceClearAt);
      return Math.max(0, waitMs / 1000);
    },
  };
}
