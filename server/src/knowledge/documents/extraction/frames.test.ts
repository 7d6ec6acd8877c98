import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { readFrames, writeFrame } from './frames.ts';

async function collect(stream: Readable, maxBytes = 100): Promise<string[]> {
  const messages: string[] = [];
  for await (const message of readFrames(stream, maxBytes)) messages.push(message.toString());
  return messages;
}

function written(...messages: string[]): Buffer {
  const stream = new PassThrough();
  for (const message of messages) writeFrame(stream, Buffer.from(message));
  return stream.read() ?? Buffer.alloc(0);
}

describe('messages on a byte stream', () => {
  it('arrive as they were written, empty ones included', async () => {
    assert.deepEqual(await collect(Readable.from([written('one', '', 'three', '')])), [
      'one',
      '',
      'three',
      '',
    ]);
  });

  it('arrive whole when the stream delivers them byte by byte', async () => {
    const bytes = [...written('one', 'two')].map((byte) => Buffer.from([byte]));
    assert.deepEqual(await collect(Readable.from(bytes)), ['one', 'two']);
  });

  it('are rejected beyond the limit before they are buffered', async () => {
    await assert.rejects(collect(Readable.from([written('x'.repeat(101)).subarray(0, 4)])), RangeError);
  });

  it('are dropped when the stream ends inside them', async () => {
    assert.deepEqual(await collect(Readable.from([written('one', 'two').subarray(0, -1)])), ['one']);
  });
});
