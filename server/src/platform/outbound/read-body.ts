import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { outboundFailure } from './outbound-error.ts';

export const acceptedEncodings = 'gzip, deflate, br';

/** Reads and decompresses a body. Rejects when it has more than `maxBytes`, compressed or not. */
export async function readBody(
  body: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const unpack = unpacking(contentEncoding);
  const packed = limited(maxBytes);
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of limited(maxBytes)(source)) chunks.push(chunk);
  };
  // A pipeline costs several times the reading of a short body.
  if (unpack === null) await collect(body);
  else await pipeline(body, packed, unpack, collect);
  return Buffer.concat(chunks);
}

const unpackers = new Map([
  ['', null],
  ['identity', null],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Returns whether `readBody` can read every encoding of an `Accept-Encoding`, except those with `q=0`. */
export const acceptsReadableEncodings = (value: string): boolean =>
  value.split(',').every((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return unpackers.has(coding) || parameters.some((each) => /^q=0(\.0*)?$/.test(each));
  });

function unpacking(contentEncoding = 'identity') {
  const unpacker = unpackers.get(contentEncoding.trim().toLowerCase());
  if (unpacker === undefined) throw outboundFailure('unreachable', `content encoding ${contentEncoding}`);
  return unpacker === null ? null : unpacker();
}

const limited = (maxBytes: number) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw outboundFailure('too_large', `more than ${maxBytes} bytes`);
      yield chunk;
    }
  };
