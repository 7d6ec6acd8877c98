import { timestampOrNull } from '../http/fields.ts';
import type { DeviceRow } from './devices.queries.ts';
import type { ConnectionStatus, StartedConnection } from './devices.schemas.ts';
import type { QrImages } from './qr-images.ts';

/** The answer to connect: how far the connection has come by now. */
export const presentStart = (device: DeviceRow): StartedConnection => ({
  device_id: device.id,
  status: 'started',
  message: describe(device),
});

/** `qr_code` is there exactly while a phone can be linked, `phone_number` exactly while the device is connected. */
export async function presentStatus(device: DeviceRow, qrImages: QrImages): Promise<ConnectionStatus> {
  const code = codeToScan(device);
  return {
    device_id: device.id,
    connected: device.connected,
    logged_in: device.logged_in,
    status: device.status,
    ...(code === null ? {} : { qr_code: await qrImages.imageOf(code) }),
    phone_number: device.connected ? device.phone_number : null,
    message: describe(device),
    last_disconnect_reason: device.last_disconnect_reason,
    last_disconnect_at: timestampOrNull(device.last_disconnect_at),
  };
}

const codeToScan = (device: DeviceRow): string | null =>
  device.status === 'started' && !device.connected && !device.logged_in ? device.qr_text : null;

function describe(device: DeviceRow): string {
  if (device.blocked) return 'The network refuses this account for good.';
  if (device.status === 'stopped') return describeStopped(device);
  if (device.connected) return `Connected as ${device.phone_number}.`;
  if (device.logged_in) return 'Connecting with the stored credentials; no scan is needed.';
  if (device.qr_text !== null) return 'Scan the QR code with the phone to link.';
  return 'The connection has been started; the QR code will appear in the status.';
}

const whyStopped: Readonly<Record<string, string>> = {
  qr_timeout: 'Stopped: the QR code was not scanned in time.',
  phone_in_use: 'Stopped: the phone that scanned the QR code is already linked to another device.',
  logged_out: 'Stopped: the phone is no longer linked. Connect to link one.',
  team_banned: 'Stopped: the team is banned.',
};

function describeStopped({ last_disconnect_reason: reason, logged_in }: DeviceRow): string {
  const fallback = logged_in ? 'Stopped. A phone is linked.' : 'Stopped.';
  return whyStopped[reason ?? ''] ?? fallback;
}
