import { proto } from 'baileys';

/** Returns the first field of an encoded message that the library does not know, or null. Newer apps send such messages. */
export function findUnknownField(encoded: Uint8Array, decoded: proto.IMessage): number | null {
  const known = proto.Message.encode(decoded).finish();
  if (known.length >= encoded.length) return null;
  const numbers = new Set(readFieldNumbers(known));
  return readFieldNumbers(encoded).find((number) => !numbers.has(number)) ?? null;
}

/** The library has decoded the message, so it is well-formed. */
function readFieldNumbers(encoded: Uint8Array): number[] {
  const numbers: number[] = [];
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = encoded[at] ?? 0;
      at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < encoded.length) {
    const tag = readVarint();
    numbers.push(Math.floor(tag / 8));
    switch (tag & 7) {
      case 0:
        readVarint();
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = readVarint();
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return numbers;
    }
  }
  return numbers;
}
