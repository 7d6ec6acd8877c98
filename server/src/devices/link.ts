import { createHash, randomBytes } from 'node:crypto';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Actor } from '../platform/http/actor.ts';
import { ApiError, notFound, requestRateExceeded } from '../platform/http/errors.ts';
import { timestamp } from '../platform/http/fields.ts';
import { type CountAttempt, toNetwork } from '../platform/http/limits/attempts.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { requireConnectable, requireUnlinked } from './connection.ts';
import { describe, pairingCodeOf, qrCodeOf } from './connection-status.ts';
import { type DeviceRow, lockDevice } from './devices.queries.ts';
import type { ReadDevice } from './devices.ts';
import { deleteLink, type LinkRow, replaceLink, selectLink } from './link.queries.ts';
import type { LinkStatus } from './link.schemas.ts';
import type { QrImages } from './qr-images.ts';

/** Creates the only valid link of the device. Throws if no phone can be linked to it now. */
export async function createLink(
  tx: Transaction,
  actor: Actor,
  deviceId: string,
  seconds = 600,
): Promise<{ token: string; expiresAt: Date }> {
  const device = await lockDevice(tx, actor.scope, deviceId);
  if (device === undefined) throw notFound('device');
  requireConnectable(device);
  requireUnlinked(device);
  const token = randomBytes(32).toString('base64url');
  return { token, expiresAt: await replaceLink(tx, device, hash(token), seconds) };
}

/** Ends the link of the device, if there is one. */
export async function endLink(tx: Transaction, actor: Actor, deviceId: string): Promise<void> {
  if ((await lockDevice(tx, actor.scope, deviceId)) === undefined) throw notFound('device');
  await deleteLink(tx, deviceId);
}

const hash = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface OpenedLink extends LinkRow {
  /** Sees the team of the device. */
  actor: Actor;
}

/** Finds a valid link. Throws NotFound, or the refusal of the request rate. */
export async function openLink(
  { db, countUnknown, countUse }: { db: Database; countUnknown: CountAttempt; countUse: CountAttempt },
  token: string,
  address: string,
): Promise<OpenedLink> {
  const link = await selectLink(db, hash(token));
  const wait = link === undefined ? countUnknown(toNetwork(address)) : countUse(link.device_id);
  if (wait > 0) throw requestRateExceeded(wait, {}, link === undefined ? 'address' : 'link');
  if (link === undefined) throw linkNotFound();
  return { ...link, actor: { keyId: 'link', scope: { kind: 'team', teamId: link.team_id }, role: null } };
}

const linkNotFound = () =>
  new ApiError(404, 'NOT_FOUND', 'The link has expired, or a newer one replaced it. Ask for a new link', {
    details: { reason: 'link_not_found' },
  });

/** A link is used once a phone was linked, even if it is unlinked later. See `writePaired`. */
export async function readLinkStatus(
  {
    readDevice,
    qrImages,
    networks,
  }: { readDevice: ReadDevice; qrImages: QrImages; networks: DeviceNetworks },
  link: OpenedLink,
): Promise<LinkStatus> {
  const device = await readDevice(link.actor, link.device_id);
  const isLinked = link.used || device.logged_in;
  const qrCode = isLinked ? null : qrCodeOf(device);
  const pairingCode = isLinked ? null : pairingCodeOf(device);
  return {
    state: isLinked ? 'linked' : stateOf(device, { qrCode, pairingCode }),
    device_name: device.name,
    pairing: networks.capabilitiesOf(device).pairing_codes,
    message: isLinked ? 'A phone is linked.' : describe(device, { showsPhone: false }),
    ...(qrCode === null ? {} : { qr_code: await qrImages.getImage(qrCode) }),
    ...(pairingCode === null ? {} : { pairing_code: pairingCode }),
    expires_at: timestamp(link.expires_at),
  };
}

function stateOf(
  device: DeviceRow,
  { qrCode, pairingCode }: { qrCode: string | null; pairingCode: string | null },
): LinkStatus['state'] {
  if (device.blocked || device.last_disconnect_reason === 'team_banned') return 'refused';
  if (device.status === 'stopped') return 'stopped';
  if (pairingCode !== null) return 'pair';
  return qrCode === null ? 'connecting' : 'scan';
}
