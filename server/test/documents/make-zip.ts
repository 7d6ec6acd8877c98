import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  name: string;
  /** The raw deflate stream. */
  deflated: Uint8Array;
  crc: number;
  /** The declared uncompressed bytes, which may be wrong. */
  declaredBytes: number;
}

/** Returns a part with correct sizes. */
export function honestPart(name: string, content: string | Uint8Array): ZipPart {
  const bytes = Buffer.from(content);
  return { name, deflated: deflateRawSync(bytes), crc: crc32(bytes), declaredBytes: bytes.length };
}

/** Returns blanks that compress by a factor of about 1,000, with the given declared size. */
export function bombPart(name: string, megabytes: number, declaredBytes = megabytes * 2 ** 20): ZipPart {
  const block = deflateRawSync(Buffer.alloc(2 ** 20, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return {
    name,
    deflated: Buffer.concat([...Array<Buffer>(megabytes).fill(block), end]),
    crc: 0,
    declaredBytes,
  };
}

export interface ZipOptions {
  /** Sizes follow the content instead of preceding it. */
  descriptors?: boolean;
  /** Ends with the records for large archives. */
  zip64?: boolean;
}

/** Returns the bytes of an archive. Libraries refuse to write wrong sizes. */
export function makeZip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const { descriptors = false, zip64 = false } = options;
  const flags = descriptors ? 8 : 0;
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    const known = descriptors ? { ...part, crc: 0, deflated: Buffer.alloc(0), declaredBytes: 0 } : part;
    describePart(local, 4, known, name.length, flags);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    describePart(central, 6, part, name.length, flags);
    central.writeUInt32LE(offset, 42);
    bodies.push(local, name, Buffer.from(part.deflated));
    const descriptor = numbers32(0x08074b50, part.crc, part.deflated.length, part.declaredBytes);
    if (descriptors) bodies.push(descriptor);
    directory.push(central, name);
    offset += local.length + name.length + part.deflated.length + (descriptors ? descriptor.length : 0);
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip64 ? 0xffff : parts.length, 8);
  end.writeUInt16LE(zip64 ? 0xffff : parts.length, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : directoryBytes.length, 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16);
  const largeEnd = zip64 ? makeZip64End(parts.length, directoryBytes.length, offset) : Buffer.alloc(0);
  return Buffer.concat([...bodies, directoryBytes, largeEnd, end]);
}

/** The end record for large archives, and its locator. */
function makeZip64End(count: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) record.writeBigUInt64LE(BigInt(count), at);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + directoryBytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}

function numbers32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

/** The fields shared by local and central headers, from "version needed" to the length of the name. */
function describePart(header: Buffer, at: number, part: ZipPart, nameLength: number, flags: number): void {
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(flags, at + 2);
  header.writeUInt16LE(8, at + 4);
  header.writeUInt32LE(part.crc, at + 10);
  header.writeUInt32LE(part.deflated.length, at + 14);
  header.writeUInt32LE(part.declaredBytes, at + 18);
  header.writeUInt16LE(nameLength, at + 22);
}
