import { timestampOrNull } from '../http/fields.ts';
import type { DeviceRow } from './devices.queries.ts';
import type { ConnectionStatus, StartedConnection } from './devices.schemas.ts';
import type { QrImages } from './qr-images.ts';

export const presentStart = (device: DeviceRow): StartedConnection => ({
  device_id: device.id,
  status: 'started',
  message: describe(device),
});

/** Includes `qr_code` only while a phone can be linked. */
export async function presentStatus(device: DeviceRow, qrImages: QrImages): Promise<ConnectionStatus> {
  const code = codeToScan(device);
  return {
    device_id: device.id,
    connected: device.connected,
    logged_in: device.logged_in,
    status: device.status,
    ...(code === null ? {} : { qr_code: await qrImages.getImage(code) }),
    phone_number: device.connected ? device.phone_number : null,
    message: describe(device),
    last_disconnect_reason: device.last_disconnect_reason,
    last_disconnect_at: timestampOrNull(device.last_disconnect_at),
  };
}

const codeToScan = (device: DeviceRow): string | null =>
  device.status === 'started' && !device.connected && !device.logged_in ? device.qr_text : null;

function describe(device: DeviceRow): string {
  if (device.blocked) return 'The network has blocked this account permanently.';
  if (device.status === 'stopped') return describeStopped(device);
  if (device.connected) return `Connected as ${device.phone_number}.`;
  if (device.logged_in) return 'Connecting with the stored credentials. No scan is needed.';
  if (device.qr_text !== null) return 'Scan the QR code with the phone that you want to link.';
  return 'Connecting. The status will show a QR code.';
}

const stopMessages: Readonly<Record<string, string>> = {
  qr_timeout: 'Stopped: no phone scanned the QR code in time. Connect again for a new code.',
  phone_in_use: 'Stopped: the phone that scanned the QR code is already linked to another device.',
  logged_out: 'Stopped: the phone is no longer linked. Connect to link a phone.',
  team_banned: 'Stopped: the team is banned.',
};

function describeStopped({ last_disconnect_reason: reason, logged_in }: DeviceRow): string {
  const fallback = logged_in ? 'Stopped. A phone is linked.' : 'Stopped.';
  return stopMessages[reason ?? ''] ?? fallback;
}
