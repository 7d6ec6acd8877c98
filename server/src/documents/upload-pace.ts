import type { IncomingMessage } from 'node:http';
import { bodyTooSlow, fileTooLarge } from './documents.errors.ts';

/** Bytes that must come in so many milliseconds: 256 kbit/s. */
const pace = { everyMs: 5_000, bytes: 160 * 1024 };
/** Of a body, around the file: the other parts, and all headers. */
const aroundFile = 1024 * 1024;

/**
 * How long the body of an upload says it is; the longest there may be, when it does not say. Throws `file_too_large`, so
 * that what is refused in any case waits for no place and holds none.
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

/**
 * Receives the body of an upload, and gives it up with a 400 when it turns out longer than any, or comes so slowly that
 * it only occupies the place of others.
 */
export async function receiveBody<Received>(
  body: IncomingMessage,
  maxFileBytes: number,
  receive: () => Promise<Received>,
  { everyMs, bytes } = pace,
): Promise<Received> {
  const longest = maxFileBytes + aroundFile;
  const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
  const { socket } = body;
  const began = socket.bytesRead;
  let before = began;
  // One slow stretch may have been our own: a process that was stopped has read nothing meanwhile.
  let slowStretches = 0;
  const watch = setInterval(() => {
    const now = socket.bytesRead;
    if (now - began > longest) giveUp(fileTooLarge(maxFileBytes));
    slowStretches = now - before < bytes && !body.complete ? slowStretches + 1 : 0;
    if (slowStretches === 2) giveUp(bodyTooSlow());
    before = now;
  }, everyMs);
  try {
    return await Promise.race([receive(), givenUp]);
  } finally {
    clearInterval(watch);
  }
}
