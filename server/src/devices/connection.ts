import type { Transaction } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { scheduleDeletion } from '../external-cleanup/external-cleanup.ts';
import type { Actor } from '../http/actor.ts';
import { badRequest, notFound } from '../http/errors.ts';
import { startDevice, stopDevice, unlinkDevice } from './connection.queries.ts';
import { type DeviceRow, lockDevice } from './devices.queries.ts';
import { deviceNotStopped, getDevice, type ReadDevice } from './devices.ts';

/** Asks the device's pool for a connection. Publish `device-changed` after the commit. */
export async function beginConnection(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const device = await lockOwn(tx, actor, id);
  if (device.banned) throw badRequest('team_banned', 'The team is banned');
  if (device.blocked) throw badRequest('blocked', 'The network refuses this device for good');
  if (device.status !== 'stopped') throw deviceNotStopped();
  await startDevice(tx, id);
}

/** Ends the connection and keeps the link. Publish `device-changed` after the commit. */
export async function endConnection(tx: Transaction, actor: Actor, id: string): Promise<DeviceRow> {
  await lockOwn(tx, actor, id);
  await stopDevice(tx, id);
  return getDevice(tx, actor, id);
}

/** Ends the connection and the link; a pool tells the network. Publish `device-changed` after the commit. */
export async function endLink(tx: Transaction, actor: Actor, id: string): Promise<DeviceRow> {
  const device = await lockOwn(tx, actor, id);
  if (device.logged_in)
    await scheduleDeletion(tx, [{ teamId: device.team_id, kind: 'session', ref: device.id }]);
  await unlinkDevice(tx, id);
  return getDevice(tx, actor, id);
}

async function lockOwn(tx: Transaction, actor: Actor, id: string) {
  const device = await lockDevice(tx, actor.scope, id);
  if (device === undefined) throw notFound('device');
  return device;
}

const lookAgainAfterMs = 500;

/**
 * Waits until a connection that was asked for shows something: a code to scan, a connection, its failure, or the end of
 * `timeoutMs`. Answers the device as it is then.
 */
export async function connectionProgress(
  deps: { readDevice: ReadDevice; notifications: Pick<Notifications, 'subscribe'> },
  actor: Actor,
  id: string,
  timeoutMs: number,
): Promise<DeviceRow> {
  let wake = () => {};
  const hear = (changed: string) => {
    if (changed === id) wake();
  };
  // Its pool writes what came of the connection; another request may end it, or remove the device.
  const stopListening = [
    deps.notifications.subscribe('session-changed', hear),
    deps.notifications.subscribe('device-changed', hear),
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
      const timer = setTimeout(wake, Math.min(left, lookAgainAfterMs));
      await changed;
      clearTimeout(timer);
    }
  } finally {
    for (const stop of stopListening) stop();
  }
}

const hasProgressed = (device: DeviceRow): boolean =>
  device.connected || device.status === 'stopped' || (device.qr_text !== null && !device.logged_in);
