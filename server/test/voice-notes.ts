import type { MessageContent } from '../src/ports/messaging-network/messaging-network.ts';
import { writeOggOpus } from '../src/ports/speech/ogg-opus.ts';

/** 20 ms of silence, encoded with Opus. */
const silence = Uint8Array.of(0xf8, 0xff, 0xfe);
const samplesPerPacket = 960;

/** Returns an Ogg Opus file. */
export const makeVoiceNote = (seconds: number): Buffer =>
  Buffer.from(
    writeOggOpus(
      Array.from({ length: seconds * 50 }, () => silence),
      samplesPerPacket,
    ),
  );

/** `stated` are the seconds that the sender states. */
export const voiceNote = (seconds: number, { stated = seconds } = {}): MessageContent => ({
  kind: 'voice',
  mimeType: 'audio/ogg; codecs=opus',
  bytes: makeVoiceNote(seconds),
  seconds: stated,
  waveform: new Uint8Array(64),
});
