/**
 * The wire protocol between a device's adapter and the simulated network: frames over one WebSocket at `DEVICES_PATH`,
 * of which each message carries a bundle, a JSON array, in order. One connection, the carrier, serves any number of
 * sessions; every frame names its session by a number that the device's side chooses, never used twice on one carrier. A
 * session begins with `open` and is over with `close`, with `down`, with `logged_out`, or with its carrier. Frames for a
 * session that is over are ignored.
 *
 * A new link:      open → qr… → offer → pairing(accept) → credential → stored → up
 * A known device:  open(credential) → up, or down(logged_out | banned)
 */
export const DEVICES_PATH = '/devices';

/** International format with `+`. */
export const PHONE_NUMBER_PATTERN = '^\\+[1-9][0-9]{6,14}$';

/** Numbers that begin so exist nowhere on the simulated network; every other well-formed number has a phone. */
export const UNREACHABLE_PREFIX = '+999';

/** Largest bundle either side accepts: a 16 MiB image in base64 with room to spare. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;

/** What a message carries; media and waveform as base64. */
export type WireContent =
  | { kind: 'text'; text: string }
  | { kind: 'image'; mimeType: string; base64: string; caption: string }
  | { kind: 'voice'; mimeType: string; base64: string; seconds: number; waveform: string }
  | { kind: 'document'; mimeType: string; base64: string; fileName: string; caption: string };

export type WireDownReason =
  | 'connection_lost'
  | 'logged_out'
  | 'replaced'
  | 'banned'
  | 'qr_timeout'
  | 'pairing_refused';

export type WireRefusal = 'recipient_unknown' | 'network_refused';

/** What a device says. */
export type DeviceSignal =
  | { type: 'open'; credential: string | null }
  /** The answer to `offer`. */
  | { type: 'pairing'; accept: boolean }
  /** The credential is in durable storage. */
  | { type: 'stored' }
  /** `handOff` numbers the attempts of this session; `id` is the message's own and stays over retries. */
  | { type: 'send'; handOff: number; id: string; to: string; content: WireContent }
  /** The delivery is in durable storage; the network forgets it. */
  | { type: 'received'; delivery: number }
  | { type: 'logout' }
  | { type: 'close' };

/** What the network says. */
export type NetworkSignal =
  /** A code to scan, replacing the one before it. `expiresAt` is an ISO timestamp. */
  | { type: 'qr'; text: string; expiresAt: string }
  /** A phone scanned the code; the device accepts or refuses the link. */
  | { type: 'offer'; phone: string }
  | { type: 'credential'; credential: string }
  | { type: 'up'; phone: string }
  | { type: 'down'; reason: WireDownReason }
  | { type: 'ack'; handOff: number }
  | { type: 'refused'; handOff: number; reason: WireRefusal }
  /** Delivered again, under the same number and in the same order, on every connection until `received`. */
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
  /** The answer to `logout`. */
  | { type: 'logged_out' };

export type DeviceFrame = DeviceSignal & { session: number };
export type NetworkFrame = NetworkSignal & { session: number };
