import { createHash, randomBytes } from 'node:crypto';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Actor } from '../platform/http/actor.ts';
import { ApiError, badRequest, notFound, requestRateExceeded } from '../platform/http/errors.ts';
import { timestamp } from '../platform/http/fields.ts';
import { type CountAttempt, toNetwork } from '../platform/http/limits/attempts.ts';
import { credentialRules } from '../ports/messaging-network/credentials.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { takesCredentials } from '../ports/messaging-network/supported-content.ts';
import { recordAudit } from '../records/audit/audit.sql.ts';
import type { Outbox } from '../tenancy/people/mails.ts';
import { requireConnectable, requireUnlinked } from './connection.ts';
import { describe, pairingCodeOf, qrCodeOf } from './connection-status.ts';
import { type DeviceRow, lockDevice } from './devices.queries.ts';
import type { ReadDevice } from './devices.ts';
import { deleteLink, type LinkRow, markLinkUsed, replaceLink, selectLink } from './link.queries.ts';
import type { CreateDeviceLink, LinkStatus } from './link.schemas.ts';
import type { QrImages } from './qr-images.ts';

/**
 * Creates the only valid link of the device, and mails it if asked to. Throws if no phone can be linked to it now,
 * `mail_not_configured`, and `too_many_mails`.
 */
export async function createLink(
  { tx, outbox }: { tx: Transaction; outbox: Outbox | null },
  actor: Actor,
  deviceId: string,
  { expires_in: seconds = 600, email }: CreateDeviceLink,
): Promise<{ token: string; expiresAt: Date }> {
  const device = await lockDevice(tx, actor.scope, deviceId);
  if (device === undefined) throw notFound('device');
  requireConnectable(device);
  requireUnlinked(device);
  const token = randomBytes(32).toString('base64url');
  const expiresAt = await replaceLink(tx, device, hash(token), seconds);
  if (email !== undefined) await mailLink({ tx, outbox }, device, { email, token, expiresAt });
  return { token, expiresAt };
}

async function mailLink(
  { tx, outbox }: { tx: Transaction; outbox: Outbox | null },
  { id: deviceId, team_id: teamId }: DeviceRow,
  { email, token, expiresAt }: { email: string; token: string; expiresAt: Date },
): Promise<void> {
  if (outbox === null)
    throw badRequest('mail_not_configured', 'This deployment sends no mail; give the address to the person');
  const mail = { kind: 'device_link', email, deviceId, teamId, language: null, expiresAt } as const;
  if (!(await outbox.add(tx, { ...mail, secret: token })))
    throw badRequest(
      'too_many_mails',
      'The device, its team or the recipient had too many mails in the last hour; give the address to the person, or wait',
    );
  await recordAudit(tx, {
    objectType: 'device_link',
    objectId: deviceId,
    teamId,
    after: { mailed_to: email },
  });
}

/** Whether the token still links a phone. */
export async function isLinkOpen(db: Database, token: string): Promise<boolean> {
  const link = await selectLink(db, hash(token));
  return link !== undefined && !link.used;
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

/** A link is used once a phone was linked, even if it is unlinked later. See `writePaired`. Networks with credentials pair no phone. */
export async function readLinkStatus(
  {
    db,
    readDevice,
    qrImages,
    networks,
  }: { db: Database; readDevice: ReadDevice; qrImages: QrImages; networks: DeviceNetworks },
  link: OpenedLink,
): Promise<LinkStatus> {
  const device = await readDevice(link.actor, link.device_id);
  if (!link.used && device.logged_in) await markLinkUsed(db, link.device_id);
  const isLinked = link.used || device.logged_in;
  const qrCode = isLinked ? null : qrCodeOf(device);
  const pairingCode = isLinked ? null : pairingCodeOf(device);
  const state = isLinked ? 'linked' : stateOf(device, { qrCode, pairingCode });
  const rules = credentialRules[networks.of(device)];
  const linkedMessage = rules === undefined ? 'A phone is linked.' : 'The account is connected.';
  return {
    state,
    device_name: device.name,
    pairing: networks.capabilitiesOf(device).pairing_codes,
    timed_out: state === 'stopped' && device.last_disconnect_reason === 'qr_timeout',
    message: isLinked ? linkedMessage : describe(device, { showsPhone: false }),
    ...(rules !== undefined && { credentials: Object.keys(rules.fields) }),
    ...(state === 'credentials' && problemOf(device)),
    ...(qrCode === null ? {} : { qr_code: await qrImages.getImage(qrCode) }),
    ...(pairingCode === null ? {} : { pairing_code: pairingCode }),
    expires_at: timestamp(link.expires_at),
  };
}

const problemOf = ({ last_disconnect_reason: reason }: DeviceRow): Pick<LinkStatus, 'credentials_problem'> =>
  reason === 'credentials_invalid' || reason === 'account_in_use' ? { credentials_problem: reason } : {};

function stateOf(
  device: DeviceRow,
  { qrCode, pairingCode }: { qrCode: string | null; pairingCode: string | null },
): LinkStatus['state'] {
  if (device.blocked || device.last_disconnect_reason === 'team_banned') return 'refused';
  if (device.status === 'stopped') return takesCredentials(device.network) ? 'credentials' : 'stopped';
  if (pairingCode !== null) return 'pair';
  return qrCode === null ? 'connecting' : 'scan';
}
