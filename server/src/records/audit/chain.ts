import type { Database } from '../../platform/database/database.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import {
  type ChainLink,
  lockChainEnd,
  selectChain,
  selectLink,
  selectUnchained,
  storeLinks,
} from './audit.queries.ts';

const batchSize = 1_000;

/** Each hash covers the row and the hash before it. The key keeps others from writing a chain of their own. */
const linkHash = (keyedHash: KeyedHash, before: Buffer, text: string): Buffer =>
  keyedHash('audit-chain', `${before.toString('hex')}\n${text}`);

const start: ChainLink = { position: 0, hash: Buffer.alloc(0) };

/**
 * The last link at some time, like `1234:9f86…`. Its hash needs the key and covers all rows up to it, so that a copy outside the
 * database proves a changed, removed or rewritten row.
 */
export const formatHead = ({ position, hash }: ChainLink): string => `${position}:${hash.toString('hex')}`;

/** Returns null if the text is no head. */
export function parseHead(text: string): ChainLink | null {
  const [, position = '', hash = ''] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return position === '' ? null : { position: Number(position), hash: Buffer.from(hash, 'hex') };
}

export const hasLink = async (db: Database, { position, hash }: ChainLink): Promise<boolean> =>
  (await selectLink(db, position))?.hash.equals(hash) === true;

/**
 * Chains committed rows, in batches, and returns the last link. Chaining in the transactions of the changes would make them wait for
 * each other. Null for an empty chain.
 */
export async function chainAuditLog(
  db: Database,
  keyedHash: KeyedHash,
  signal: AbortSignal,
): Promise<ChainLink | null> {
  for (;;) {
    const { chained, end } = await db.transaction().execute(async (tx) => {
      let end = (await lockChainEnd(tx)) ?? start;
      const rows = signal.aborted ? [] : await selectUnchained(tx, batchSize);
      const links = rows.map(({ id, text }) => {
        end = { position: end.position + 1, hash: linkHash(keyedHash, end.hash, text) };
        return { id, ...end };
      });
      if (links.length > 0) await storeLinks(tx, links);
      return { chained: links.length, end };
    });
    if (chained < batchSize) return end.position === 0 ? null : end;
  }
}

export type Verification =
  | { intact: true; rows: number; head: string }
  | { intact: false; position: number; id: string | null };

/** Computes the chain again. Returns the first place where a row was changed or removed. `known` are heads of earlier times. */
export async function verifyAuditLog(
  db: Database,
  keyedHash: KeyedHash,
  known: readonly ChainLink[] = [],
): Promise<Verification> {
  const knownHashes = new Map(known.map(({ position, hash }) => [position, hash]));
  let end: ChainLink = start;
  for (;;) {
    const rows = await selectChain(db, end.position, batchSize);
    for (const { id, position, hash, text } of rows) {
      const expected = linkHash(keyedHash, end.hash, text);
      if (position !== end.position + 1 || !hash.equals(expected)) {
        return { intact: false, position: end.position + 1, id };
      }
      // The key can be used by a rewriter too: only the copy of an earlier head is out of its reach.
      if (knownHashes.get(position)?.equals(hash) === false) return { intact: false, position, id };
      end = { position, hash };
    }
    if (rows.length < batchSize) break;
  }
  const cut = known.find(({ position }) => position > end.position);
  if (cut !== undefined) return { intact: false, position: end.position + 1, id: null };
  return { intact: true, rows: end.position, head: formatHead(end) };
}
