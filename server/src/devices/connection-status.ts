import { timestampOrNull } from '../platform/http/fields.ts';
import { takesCredentials } from '../ports/messaging-network/supported-content.ts';
import type { DeviceRow } from './devices.queries.ts';
import type { ConnectionStatus, Restriction, StartedConnection } from './devices.schemas.ts';
import type { QrImages } from './qr-images.ts';

export const presentStart = (
  device: DeviceRow,
  { botIsPublished }: { botIsPublished: boolean },
): StartedConnection => ({
  device_id: device.id,
  status: 'started',
  message: botIsPublished ? describe(device) : `${describe(device)} ${silentBot}`,
});

const silentBot = 'The bot was never published, so it does not answer contacts yet: publish it.';

/** Includes a code only while a phone can be linked. */
export async function presentStatus(
  device: DeviceRow,
  qrImages: QrImages,
  { withCodes }: { withCodes: boolean },
): Promise<ConnectionStatus> {
  const [qrCode, pairingCode] = withCodes ? [qrCodeOf(device), pairingCodeOf(device)] : [null, null];
  return {
    device_id: device.id,
    connected: device.connected,
    logged_in: device.logged_in,
    status: device.status,
    ...(qrCode === null ? {} : { qr_code: await qrImages.getImage(qrCode) }),
    ...(pairingCode === null ? {} : { pairing_code: pairingCode }),
    phone_number: device.connected ? device.phone_number : null,
    message: describe(device),
    last_disconnect_reason: device.last_disconnect_reason,
    last_disconnect_at: timestampOrNull(device.last_disconnect_at),
    restrictions: presentRestrictions(device),
  };
}

function presentRestrictions(device: DeviceRow): Restriction[] {
  const {
    suspended_until: suspended,
    new_chats_restricted_until: restricted,
    new_chats_restricted_by: by,
  } = device;
  const now = new Date();
  return [
    ...(device.last_disconnect_reason === 'suspended' && !device.connected
      ? [
          {
            kind: 'suspended' as const,
            until: timestampOrNull(suspended),
            reason: 'account_suspended' as const,
          },
        ]
      : []),
    ...(restricted !== null && restricted > now
      ? [
          {
            kind: 'new_chats' as const,
            until: timestampOrNull(restricted),
            reason: by ?? ('network_refused' as const),
          },
        ]
      : []),
    ...(device.quality === 'low'
      ? [{ kind: 'quality_low', until: null, reason: 'quality_low' } as const]
      : []),
    ...(device.messaging_limit === null
      ? []
      : [
          {
            kind: 'messaging_limit',
            until: null,
            reason: 'messaging_limit',
            limit: device.messaging_limit,
          } as const,
        ]),
  ];
}

export const qrCodeOf = (device: DeviceRow): string | null =>
  device.pairing_phone_number === null ? codeOf(device) : null;

export const pairingCodeOf = (device: DeviceRow): string | null =>
  device.pairing_phone_number === null ? null : codeOf(device);

const codeOf = (device: DeviceRow): string | null =>
  device.status === 'started' && !device.connected && !device.logged_in ? device.qr_text : null;

/** Without `showsPhone`, the text hides the number of a phone that is not linked yet. */
export function describe(
  device: DeviceRow,
  { showsPhone }: { showsPhone: boolean } = { showsPhone: true },
): string {
  if (device.blocked) return 'The network has blocked this account permanently.';
  if (device.status === 'stopped') return describeStopped(device);
  if (device.connected)
    return device.phone_number === null ? 'Connected.' : `Connected as ${device.phone_number}.`;
  const refused = refusalMessages[device.last_disconnect_reason ?? ''];
  if (device.logged_in && refused !== undefined) return refused;
  if (takesCredentials(device.network)) return 'Checking the credentials.';
  if (device.logged_in) return 'Connecting with the stored credentials. No scan is needed.';
  if (device.pairing_phone_number !== null) return describePairing(device, showsPhone);
  if (device.qr_text !== null) return 'Scan the QR code with the phone that you want to link.';
  return 'Connecting. The status will show a QR code.';
}

const describePairing = (
  { qr_text: code, pairing_phone_number: number }: DeviceRow,
  showsPhone: boolean,
): string =>
  code === null
    ? 'Connecting. The status will show a pairing code.'
    : `Enter the pairing code on the phone${showsPhone ? ` ${number}` : ''}: Linked devices, Link a device, Link with phone number instead.`;

const refusalMessages: Readonly<Record<string, string>> = {
  suspended: 'The network suspended this account for a time. The device reconnects when the suspension ends.',
  client_outdated:
    'The network refuses this version of the client. Update Parley, or set WHATSAPP_VERSION to a newer one.',
  unavailable: 'The network refuses the connection. The device tries again, less and less often.',
};

const stopMessages: Readonly<Record<string, string>> = {
  qr_timeout: 'Stopped: no phone used the code in time. Connect again for a new one.',
  code_refused: 'Stopped: the network gives no pairing code for this phone. Use a QR code.',
  too_many_codes:
    'Stopped: the network has given too many pairing codes. Use a QR code, or try again in some hours.',
  phone_in_use: 'Stopped: the phone that scanned the QR code is already linked to another device.',
  logged_out: 'Stopped: the phone is no longer linked. Connect to link a phone.',
  credentials_invalid: 'Stopped: the network refuses the credentials. Store new ones, then connect again.',
  account_in_use: 'Stopped: another connected device has the same account.',
  team_banned: 'Stopped: the team is banned.',
};

function describeStopped({ last_disconnect_reason: reason, logged_in, network }: DeviceRow): string {
  const hasAccount = takesCredentials(network);
  if (hasAccount && reason === 'logged_out') return 'Stopped. Store credentials to connect again.';
  const linked = hasAccount ? 'Stopped. It has credentials.' : 'Stopped. A phone is linked.';
  return stopMessages[reason ?? ''] ?? (logged_in ? linked : 'Stopped.');
}
