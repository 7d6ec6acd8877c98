import type { Database } from '../database/database.ts';
import type { KeyedHash } from '../shared/encryption.ts';
import { type ChainLink, lockChainEnd, selectChain, selectUnchained, storeLinks } from './audit.queries.ts';

const batchSize = 1_000;

/** Each hash covers the row and the hash before it. The key keeps others from writing a chain of their own. */
const linkHash = (keyedHash: KeyedHash, before: Buffer, text: string): Buffer =>
  keyedHash('audit-chain', `${before.toString('hex')}\n${text}`);

const start: ChainLink = { position: 0, hash: Buffer.alloc(0) };

/** Chains committed rows, in batches. Chaining in the transactions of the changes would make them wait for each other. */
export async function chainAuditLog(db: Database, keyedHash: KeyedHash, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const chained = await db.transaction().execute(async (tx) => {
      let end = (await lockChainEnd(tx)) ?? start;
      const rows = await selectUnchained(tx, batchSize);
      const links = rows.map(({ id, text }) => {
        end = { position: end.position + 1, hash: linkHash(keyedHash, end.hash, text) };
        return { id, ...end };
      });
      if (links.length > 0) await storeLinks(tx, links);
      return links.length;
    });
    if (chained < batchSize) return;
  }
}

export type Verification =
  | { intact: true; rows: number; head: string }
  | { intact: false; position: number; id: string };

/** Computes the chain again. Returns the first place where a row was changed or removed. */
export async function verifyAuditLog(db: Database, keyedHash: KeyedHash): Promise<Verification> {
  let end: ChainLink = start;
  for (;;) {
    const rows = await selectChain(db, end.position, batchSize);
    for (const { id, position, hash, text } of rows) {
      const expected = linkHash(keyedHash, end.hash, text);
      if (position !== end.position + 1 || !hash.equals(expected)) {
        return { intact: false, position: end.position + 1, id };
      }
      end = { position, hash };
    }
    if (rows.length < batchSize) return { intact: true, rows: end.position, head: end.hash.toString('hex') };
  }
}
