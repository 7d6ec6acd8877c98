import type { IncomingMessage } from 'node:http';
import { bodyTooSlow, fileTooLarge } from './documents.errors.ts';

/** At least 256 kbit/s. */
const pace = { everyMs: 5_000, bytes: 160 * 1024 };
const aroundFile = 1024 * 1024;

/** Returns the body's length or the maximum. Throws `file_too_large` before the upload waits in the queue. */
export function getAnnouncedBytes(
  { headers }: Pick<IncomingMessage, 'headers'>,
  maxFileBytes: number,
): number {
  const longest = maxFileBytes + aroundFile;
  const length = Number(headers['content-length'] ?? longest);
  if (length > longest) throw fileTooLarge(maxFileBytes);
  return length;
}

/** Throws a 400 when the body is too long or arrives too slowly. */
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
