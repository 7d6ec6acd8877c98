import type { logoTypes } from './brands.schemas.ts';

const maxPixels = 2000;

type LogoType = (typeof logoTypes)[number];

export interface Logo {
  bytes: Buffer;
  type: LogoType;
}

/** Reads a data URI that matches the schema. Returns why the picture cannot be the logo, as a string. */
export function readLogo(uri: string, maxBytes: number): Logo | string {
  const comma = uri.indexOf(',');
  const type = uri.slice('data:'.length, uri.indexOf(';')) as LogoType;
  const bytes = Buffer.from(uri.slice(comma + 1), 'base64');
  if (bytes.length > maxBytes) return `must be at most ${maxBytes / 1024} KiB`;
  const size = sizeReaders[type](bytes);
  if (size === null) return `must be a picture of the type ${type}`;
  const [width, height] = size;
  if (Math.min(width, height) < 1 || Math.max(width, height) > maxPixels)
    return `must have 1 to ${maxPixels} pixels in width and height`;
  return { bytes, type };
}

/** A few bytes can decode to a picture that fills the memory of a browser. */
type ReadSize = (bytes: Buffer) => readonly [number, number] | null;

const sizeReaders: Readonly<Record<LogoType, ReadSize>> = {
  'image/png': (bytes) =>
    bytes.length >= 33 && bytes.subarray(0, 16).equals(pngStart)
      ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      : null,
  'image/jpeg': readJpegSize,
  'image/webp': readWebpSize,
};

/** The signature, and the length and the name of the first chunk. */
const pngStart = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Walks the segments to the first frame header (SOF0 to SOF15, without DHT, JPG and DAC). */
function readJpegSize(bytes: Buffer): readonly [number, number] | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function readWebpSize(bytes: Buffer): readonly [number, number] | null {
  if (bytes.length < 30) return null;
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case 'VP8X':
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    default:
      return null;
  }
}
