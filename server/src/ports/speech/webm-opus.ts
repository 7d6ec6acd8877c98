/** WebM files with one track of Opus, as browsers record speech (RFC 8794, RFC 9559). */

const ids = { track: 0xae, codec: 0x86, simpleBlock: 0xa3, block: 0xa1 };
/** The reader goes into these. It passes over the content of all others. */
const containers: ReadonlySet<number> = new Set([
  0x18538067, // segment
  0x1654ae6b, // tracks
  ids.track,
  0x1f43b675, // cluster
  0xa0, // group of blocks
]);
const signature = Buffer.from('1a45dfa3', 'hex');
/** Those of 40 minutes. A hostile file has millions of them. */
const mostPackets = 120_000;

export const isWebm = (bytes: Uint8Array): boolean => signature.equals(bytes.subarray(0, signature.length));

/**
 * Returns the Opus packets, or null if the file has other tracks than one of Opus. Throws a `RangeError` if the file is damaged or
 * too long.
 */
export function readWebmPackets(bytes: Uint8Array): Uint8Array[] | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packets: Uint8Array[] = [];
  const codecs: string[] = [];
  let tracks = 0;
  for (let position = 0; position < view.length; ) {
    const id = readNumber(view, position);
    const size = readNumber(view, position + id.length);
    const start = position + id.length + size.length;
    if (id.raw === ids.track) tracks += 1;
    if (containers.has(id.raw)) {
      position = start;
      continue;
    }
    const end = start + size.value;
    if (end > view.length) throw new RangeError('The WebM file is cut');
    const content = view.subarray(start, end);
    if (id.raw === ids.codec) codecs.push(content.toString('latin1'));
    if (id.raw === ids.simpleBlock || id.raw === ids.block) packets.push(readBlock(content));
    if (packets.length > mostPackets) throw new RangeError('The WebM file has too many packets');
    position = end;
  }
  return tracks === 1 && codecs.join() === 'A_OPUS' ? packets : null;
}

/** The leading zeros of the first byte say how many bytes follow. `raw` has the mark of the length, `value` has not. */
function readNumber(view: Buffer, position: number): { raw: number; value: number; length: number } {
  const length = Math.clz32(view.readUInt8(position)) - 23;
  if (length > 8) throw new RangeError('Not a WebM element');
  // Sizes over 2^48 are wrong in any case.
  const raw = length > 6 ? view.readUIntBE(position + length - 6, 6) : view.readUIntBE(position, length);
  return { raw, value: length > 6 ? raw : raw - 2 ** (7 * length), length };
}

/** After the number of the track come a time of two bytes and flags. */
function readBlock(content: Buffer): Uint8Array {
  const start = readNumber(content, 0).length + 3;
  const hasLacing = (content.readUInt8(start - 1) & 0x06) !== 0;
  if (hasLacing || start >= content.length) throw new RangeError('The WebM file joins or lacks packets');
  return content.subarray(start);
}
