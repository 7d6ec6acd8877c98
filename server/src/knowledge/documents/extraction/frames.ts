import type { Readable, Writable } from 'node:stream';

const lengthBytes = 4;

export function writeFrame(stream: Writable, payload: Uint8Array): void {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(payload.length);
  stream.write(length);
  stream.write(payload);
}

/** Reads the messages of `writeFrame`. Throws when one is longer than `maxBytes`. */
export async function* readFrames(stream: Readable, maxBytes: number): AsyncGenerator<Buffer, void> {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let needed = lengthBytes;
  let inPayload = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    buffered += chunk.length;
    while (buffered >= needed) {
      const [first] = chunks;
      const joined = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      const message = joined.subarray(0, needed);
      chunks = [joined.subarray(needed)];
      buffered = joined.length - needed;
      if (inPayload) yield message;
      needed = inPayload ? lengthBytes : message.readUInt32BE(0);
      if (needed > maxBytes) throw new RangeError(`A message of ${needed} bytes; ${maxBytes} are allowed`);
      inPayload = !inPayload;
    }
  }
}
