/** A position between two events. `xid` and `seq` are decimal texts, because they can exceed a double. */
export interface Position {
  xid: string;
  seq: string;
}

/** A position on one incarnation of the database. `at` is when it was reached, in milliseconds. */
export interface Cursor extends Position {
  incarnation: string;
  at: number;
}

/** Opaque to clients. */
export const encodeCursor = ({ incarnation, xid, seq, at }: Cursor): string =>
  Buffer.from([incarnation.slice(0, 8), xid, seq, at].join('.')).toString('base64url');

const pattern = /^([0-9a-f]{8})\.(\d{1,19})\.(\d{1,19})\.(\d{1,15})$/;

/** Returns null for a text that is no cursor, or one of another incarnation. */
export function decodeCursor(text: string, incarnation: string): Cursor | null {
  const [, of, xid, seq, at] = pattern.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (xid === undefined || seq === undefined || of !== incarnation.slice(0, 8)) return null;
  if (BigInt(xid) > maxBigint || BigInt(seq) > maxBigint) return null;
  return { incarnation, xid, seq, at: Number(at) };
}

const maxBigint = 2n ** 63n - 1n;

export const isAfter = (a: Position, b: Position): boolean =>
  BigInt(a.xid) > BigInt(b.xid) || (a.xid === b.xid && BigInt(a.seq) > BigInt(b.seq));
