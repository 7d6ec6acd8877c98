/**
 * The wire protocol between an adapter and the simulated network: JSON arrays of frames over a WebSocket at `devicesPath`.
 * One WebSocket serves many sessions. The adapter numbers them and never reuses a number. A session starts with `open` and
 * ends with `close`, `down`, `logged_out` or its WebSocket. Frames for an ended session are ignored.
 *
 * A new link:      open → qr… → offer → pairing(accept) → credential → stored → up
 * A known device:  open(credential) → up, or down(logged_out | banned)
 */
export const devicesPath = '/devices';

/** International format with `+`. */
export const phoneNumberPattern = '^\\+[1-9][0-9]{6,14}$';

/** Numbers with this prefix have no phone. Every other valid number has one. */
export const unreachablePrefix = '+999';

/** Fits a 16 MiB image in base64. */
export const maxFrameBytes = 32 * 1024 * 1024;

export type WireContent =
  /** `details` is the structure of a message that the text describes. The network does not interpret it. */
  | { kind: 'text'; text: string; details?: object }
  | { kind: 'image'; mimeType: string; base64: string; caption: string }
  | { kind: 'voice'; mimeType: string; base64: string; seconds: number; waveform: string }
  | { kind: 'document'; mimeType: string; base64: string; fileName: string; caption: string };

export type WireDownReason =
  | 'connection_lost'
  | 'logged_out'
  | 'replaced'
  | 'banned'
  | 'suspended'
  | 'client_outdated'
  | 'unavailable'
  | 'qr_timeout'
  | 'pairing_refused';

export type WireRefusal = 'recipient_unknown' | 'network_refused' | 'device_restricted';

export type DeviceSignal =
  | { type: 'open'; credential: string | null }
  | { type: 'pairing'; accept: boolean }
  | { type: 'stored' }
  /** `attempt` counts the send attempts of this session. `id` stays the same over retries. */
  | { type: 'send'; attempt: number; id: string; to: string; content: WireContent }
  /** The delivery is stored, and the network removes it from the queue. */
  | { type: 'received'; delivery: number }
  | { type: 'logout' }
  | { type: 'close' };

export type NetworkSignal =
  /** Replaces the previous code. `expiresAt` is an ISO timestamp. */
  | { type: 'qr'; text: string; expiresAt: string }
  /** A phone scanned the code. The device replies with `pairing`. */
  | { type: 'offer'; phone: string }
  | { type: 'credential'; credential: string }
  | { type: 'up'; phone: string }
  /** `until` is the end of a suspension, an ISO timestamp. */
  | { type: 'down'; reason: WireDownReason; until?: string }
  | { type: 'ack'; attempt: number }
  /** `until` is the end of a restriction, an ISO timestamp. */
  | { type: 'refused'; attempt: number; reason: WireRefusal; until?: string }
  /** Redelivered in order, with the same number, on every connection until `received`. */
  | {
      type: 'inbound';
      delivery: number;
      id: string;
      contact: string;
      fromMe: boolean;
      sentAt: string;
      content: WireContent;
    }
  | { type: 'receipt'; delivery: number; id: string; state: 'delivered' | 'read' }
  | { type: 'logged_out' };

export type DeviceFrame = DeviceSignal & { session: number };
export type NetworkFrame = NetworkSignal & { session: number };
