import type { Transaction } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import type { Actor } from '../platform/http/actor.ts';
import { badRequest, notFound } from '../platform/http/errors.ts';
import { toInternationalNumber } from '../platform/http/fields.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { takesCredentials } from '../ports/messaging-network/supported-content.ts';
import { scheduleDeletion } from '../records/external-deletions/external-deletions.ts';
import { startDevice, stopDevice, unlinkDevice } from './connection.queries.ts';
import { deleteUnlinkedSession } from './device-sessions.sql.ts';
import { type DeviceRow, lockDevice } from './devices.queries.ts';
import { deviceNotStopped, getDevice, isLinked, type ReadDevice } from './devices.ts';

/** Publish `device-changed` after the commit. */
export async function startConnection(
  tx: Transaction,
  actor: Actor,
  id: string,
  networks: DeviceNetworks,
  pairingNumber?: string,
): Promise<void> {
  const device = await lockVisibleDevice(tx, actor, id);
  requireConnectable(device);
  if (device.status !== 'stopped') throw deviceNotStopped();
  const name = networks.of(device);
  if (!networks.enabled.includes(name))
    throw badRequest(
      'network_disabled',
      `The network ${name} of the device is not enabled; add it to MESSAGING_NETWORK`,
    );
  if (takesCredentials(name) && device.account_key === null)
    throw badRequest(
      'credentials_missing',
      'The device has no credentials; store them with PUT /devices/{id}/credentials',
    );
  if (pairingNumber !== undefined) requireUnlinked(device);
  if (pairingNumber !== undefined && !networks.capabilitiesOf(device).pairing_codes)
    throw badRequest(
      'pairing_code_unsupported',
      'The network of the device has no pairing codes; leave out pairing_phone_number and scan the QR code',
    );
  await startDevice(tx, id, pairingNumber === undefined ? null : toInternationalNumber(pairingNumber));
}

export function requireUnlinked({ logged_in }: { logged_in: boolean }): void {
  if (logged_in)
    throw badRequest('device_linked', 'A phone is linked to the device; unlink it with logout first');
}

/** Throws if the team or the network forbids connections of the device. */
export function requireConnectable({ banned, blocked }: { banned: boolean; blocked: boolean }): void {
  if (banned) throw badRequest('team_banned', 'The team is banned; lift the ban first');
  if (blocked)
    throw badRequest(
      'blocked',
      'The network has blocked the account of this device permanently; create a device for another account',
    );
}

/** Keeps the link to the phone. Publish `device-changed` after the commit. */
export async function stopConnection(tx: Transaction, actor: Actor, id: string): Promise<DeviceRow> {
  await lockVisibleDevice(tx, actor, id);
  await stopDevice(tx, id);
  return getDevice(tx, actor, id);
}

/** Stops the device and schedules the unlink of its phone. Publish `device-changed` after the commit. */
export async function logOutDevice(tx: Transaction, actor: Actor, id: string): Promise<DeviceRow> {
  const device = await lockVisibleDevice(tx, actor, id);
  if (isLinked(device))
    await scheduleDeletion(tx, [{ teamId: device.team_id, kind: 'session', ref: device.id }]);
  else if (takesCredentials(device.network)) await deleteUnlinkedSession(tx, id);
  await unlinkDevice(tx, id);
  return getDevice(tx, actor, id);
}

async function lockVisibleDevice(tx: Transaction, actor: Actor, id: string) {
  const device = await lockDevice(tx, actor.scope, id);
  if (device === undefined) throw notFound('device');
  return device;
}

const pollMs = 500;

/** Waits until the device shows a QR code, is connected or stopped, or until `timeoutMs` has passed. Returns the device. */
export async function waitForProgress(
  deps: { readDevice: ReadDevice; notifications: Pick<Notifications, 'subscribe'> },
  actor: Actor,
  id: string,
  timeoutMs: number,
): Promise<DeviceRow> {
  let wake = () => {};
  const onChange = (changed: string) => {
    if (changed === id) wake();
  };
  // The pool publishes `session-changed`. Another request may stop or delete the device.
  const stopListening = [
    deps.notifications.subscribe('session-changed', onChange),
    deps.notifications.subscribe('device-changed', onChange),
  ];
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const device = await deps.readDevice(actor, id);
      const left = deadline - performance.now();
      if (left <= 0 || hasProgressed(device)) return device;
      const timer = setTimeout(wake, Math.min(left, pollMs));
      await changed;
      clearTimeout(timer);
    }
  } finally {
    for (const stop of stopListening) stop();
  }
}

const hasProgressed = (device: DeviceRow): boolean =>
  device.connected || device.status === 'stopped' || (device.qr_text !== null && !device.logged_in);
