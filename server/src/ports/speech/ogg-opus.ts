/** Ogg pages that hold one mono Opus stream (RFC 3533, RFC 7845). */

const sampleRate = 48_000;
/** Samples that a player drops at the start, as libopus needs them at 48 kHz. */
const preSkip = 312;
const maxSegments = 255;
const headerPackets = 2;
const pageMark = Buffer.from('OggS').readUInt32BE();

export const isOggOpus = (bytes: Uint8Array): boolean =>
  ascii(bytes.subarray(0, 4)) === 'OggS' && ascii(bytes.subarray(28, 36)) === 'OpusHead';

/** Returns the Opus packets without the two header packets. Throws a `RangeError` if the file is cut or not Ogg. */
export function readPackets(bytes: Uint8Array): Uint8Array[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packets: Buffer[] = [];
  let parts: Buffer[] = [];
  for (let start = 0; start < view.length; ) {
    if (view.toString('latin1', start, start + 4) !== 'OggS') throw new RangeError('Not an Ogg page');
    const segments = view.readUInt8(start + 26);
    let position = start + 27 + segments;
    for (const length of view.subarray(start + 27, position)) {
      if (position + length > view.length) throw new RangeError('The Ogg file is cut');
      parts.push(view.subarray(position, position + length));
      position += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(parts));
      parts = [];
    }
    start = position;
  }
  return packets.slice(headerPackets);
}

/**
 * Returns the seconds that the packets play, which the file's own time stamps and the sender may state wrongly. Throws a
 * `RangeError` if the file is cut or not Ogg. Allocates nothing, because a hostile file has millions of empty packets.
 */
export function readSeconds(bytes: Uint8Array): number {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let ms = 0;
  let packet = 0;
  let starts = true;
  for (let start = 0; start < view.length; ) {
    if (view.readUInt32BE(start) !== pageMark) throw new RangeError('Not an Ogg page');
    const end = start + 27 + view.readUInt8(start + 26);
    let position = end;
    for (let segment = start + 27; segment < end; segment += 1) {
      const length = view.readUInt8(segment);
      if (starts && packet >= headerPackets && length > 0)
        ms += countMs(view.readUInt8(position), length > 1 ? view.readUInt8(position + 1) : 0);
      position += length;
      starts = length < 255;
      if (starts) packet += 1;
    }
    if (position > view.length) throw new RangeError('The Ogg file is cut');
    start = position;
  }
  return ms / 1000;
}

const silkMs = [10, 20, 40, 60];
const hybridMs = [10, 20];
const celtMs = [2.5, 5, 10, 20];

/** The first byte has the length of a frame and how many there are (RFC 6716, section 3.1). */
function countMs(first: number, second: number): number {
  const config = first >> 3;
  const frameMs = config < 12 ? silkMs[config % 4] : config < 16 ? hybridMs[config % 2] : celtMs[config % 4];
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : second & 63;
  return (frameMs ?? 0) * frames;
}

/** `samplesPerPacket` are samples at 48 kHz. */
export function writeOggOpus(packets: readonly Uint8Array[], samplesPerPacket: number): Uint8Array {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9); // channels
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(sampleRate, 12);
  const vendor = 'Parley';
  const tags = Buffer.alloc(12 + vendor.length + 4);
  tags.write('OpusTags', 'latin1');
  tags.writeUInt32LE(vendor.length, 8);
  tags.write(vendor, 12, 'latin1');
  const pages = [
    createPage([head], { sequence: 0, samples: 0, flags: 2 }),
    createPage([tags], { sequence: 1, samples: 0, flags: 0 }),
  ];
  // A packet of 20 ms has fewer than 1,275 bytes, hence at most 5 segments.
  const perPage = Math.floor(maxSegments / 5);
  for (let first = 0; first < packets.length; first += perPage) {
    const end = Math.min(first + perPage, packets.length);
    pages.push(
      createPage(packets.slice(first, end), {
        sequence: pages.length,
        samples: end * samplesPerPacket,
        flags: end === packets.length ? 4 : 0,
      }),
    );
  }
  return Buffer.concat(pages);
}

/** `flags`: 2 marks the first page, 4 the last. */
function createPage(
  packets: readonly Uint8Array[],
  { sequence, samples, flags }: { sequence: number; samples: number; flags: number },
): Buffer {
  const lengths = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ]);
  const header = Buffer.alloc(27 + lengths.length);
  header.write('OggS', 'latin1');
  header.writeUInt8(flags, 5);
  header.writeBigUInt64LE(BigInt(samples), 6);
  header.writeUInt32LE(1, 14); // serial number of the stream
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(lengths.length, 26);
  header.set(lengths, 27);
  const page = Buffer.concat([header, ...packets]);
  page.writeUInt32LE(checksum(page), 22);
  return page;
}

/** CRC-32 with the polynomial of Ogg, which `node:zlib` does not offer. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  }
  return crc >>> 0;
}

const ascii = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
