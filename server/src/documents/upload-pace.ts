import type { IncomingMessage } from 'node:http';
import { bodyTooSlow, fileTooLarge } from './documents.errors.ts';

/** At least 256 kbit/s. */
const pace = { everyMs: 5_000, bytes: 160 * 1024 };
/** Bytes of the body beside the file. */
const aroundFile = 1024 * 1024;

/**
 * Returns the announced length of an upload's body, or the maximum when there is none. Throws `file_too_large`, so that such
 * an upload never waits in the queue.
 */
export function getAnnouncedBytes(
  { headers }: Pick<IncomingMessage, 'headers'>,
  maxFileBytes: number,
): number {
  const longest = maxFileBytes + aroundFile;
  const length = Number(headers['content-length'] ?? longest);
  if (length > longest) throw fileTooLarge(maxFileBytes);
  return length;
}

/** Receives the body of an upload. Throws a 400 when it is too long or arrives too slowly. */
export async function receiveBody<Received>(
  body: IncomingMessage,
  maxFileBytes: number,
  receive: () => Promise<Received>,
  { everyMs, bytes } = pace,
): Promise<Received> {
  const longest = maxFileBytes + aroundFile;
  const { promise: rejected, reject } = Promise.withResolvers<never>();
  const { socket } = body;
  const began = socket.bytesRead;
  let before = began;
  // One slow interval may be this process's own fault, if it was paused.
  let slowIntervals = 0;
  const watch = setInterval(() => {
    const now = socket.bytesRead;
    if (now - began > longest) reject(fileTooLarge(maxFileBytes));
    slowIntervals = now - before < bytes && !body.complete ? slowIntervals + 1 : 0;
    if (slowIntervals === 2) reject(bodyTooSlow());
    before = now;
  }, everyMs);
  try {
    return await Promise.race([receive(), rejected]);
  } finally {
    clearInterval(watch);
  }
}
