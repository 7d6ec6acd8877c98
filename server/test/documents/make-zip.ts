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

/** Returns the bytes of an archive. Libraries refuse to write wrong sizes. */
export function makeZip(parts: readonly ZipPart[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    describePart(local, 4, part, name.length);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    describePart(central, 6, part, name.length);
    central.writeUInt32LE(offset, 42);
    bodies.push(local, name, Buffer.from(part.deflated));
    directory.push(central, name);
    offset += local.length + name.length + part.deflated.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

/** The fields shared by local and central headers, from "version needed" to the length of the name. */
function describePart(header: Buffer, at: number, part: ZipPart, nameLength: number): void {
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(8, at + 4);
  header.writeUInt32LE(part.crc, at + 10);
  header.writeUInt32LE(part.deflated.length, at + 14);
  header.writeUInt32LE(part.declaredBytes, at + 18);
  header.writeUInt16LE(nameLength, at + 22);
}
