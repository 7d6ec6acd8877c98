import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption, SealedColumn } from '../../shared/encryption.ts';
import {
  type ClaimedKey,
  completeKey,
  forgetResults,
  insertRefusal,
  readStoredResults,
  type StoredRow,
  selectKey,
} from './idempotency.queries.ts';

export interface StoredResult {
  status: number;
  body: object;
}

interface KnownKey {
  fingerprint: Buffer;
  isInFlight: boolean;
  /** The result contained data of a contact who was erased. */
  isErased: boolean;
  result: StoredResult | null;
}

/** Results by Idempotency-Key. They are sealed because they can contain tokens and action headers. */
export interface StoredResults {
  /** Returns false if another request has claimed the key. */
  complete(tx: Transaction, key: ClaimedKey, result: StoredResult): Promise<boolean>;
  /** Stores a 4xx result after its transaction was rolled back, unless another request has claimed the key. */
  storeRefusal(key: ClaimedKey, refusal: StoredResult): Promise<void>;
  find(tx: Transaction, key: ClaimedKey): Promise<KnownKey | undefined>;
}

export function createStoredResults({
  db,
  encryption,
}: {
  db: Database;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}): StoredResults {
  const seal = (key: ClaimedKey, { status, body }: StoredResult) => ({
    status,
    sealed: encryption.seal(Buffer.from(JSON.stringify(body)), sealingContext(key)),
  });
  return {
    complete: (tx, key, result) => completeKey(tx, key, seal(key, result)),
    storeRefusal: (key, refusal) => insertRefusal(db, key, seal(key, refusal)),
    async find(tx, key) {
      const row = await selectKey(tx, key);
      if (row === undefined) return undefined;
      const { fingerprint, in_flight: isInFlight, status, body_sealed: body } = row;
      const result =
        status === null || body === null
          ? null
          : { status, body: JSON.parse(encryption.open(body, sealingContext(key)).toString()) };
      return { fingerprint, isInFlight, isErased: status !== null && body === null, result };
    },
  };
}

const sealingContext = ({ apiKeyId, method, path, key }: ClaimedKey): string =>
  sealedResults.context(apiKeyId, method, path, key);

export const sealedResults: SealedColumn = {
  table: 'idempotency_keys',
  column: 'body_sealed',
  identity: ['api_key_id', 'method', 'path', 'key'],
  context: (...identity) => ['idempotency_keys', ...identity].join('\n'),
};

/** Selects stored results, for example those with a contact's number. */
export type ResultCondition = (result: Buffer) => boolean;

/** Reads all stored results. Call it before the transaction writes, because others may wait for its writes. */
export const findResults = (
  tx: Transaction,
  encryption: Pick<Encryption, 'open'>,
  condition: ResultCondition,
): Promise<StoredRow[]> => select(readStoredResults(tx, 'all'), encryption, condition);

/** Deletes the stored results that `findResults` found in this transaction, and those that were stored since. */
export async function forgetFoundResults(
  tx: Transaction,
  encryption: Pick<Encryption, 'open'>,
  condition: ResultCondition,
  found: readonly StoredRow[],
): Promise<void> {
  const since = await select(readStoredResults(tx, 'recent'), encryption, condition);
  await forgetResults(tx, [...found, ...since]);
}

async function select(
  pages: AsyncIterable<StoredRow[]>,
  { open }: Pick<Encryption, 'open'>,
  condition: ResultCondition,
): Promise<StoredRow[]> {
  const selected: StoredRow[] = [];
  for await (const rows of pages) {
    for (const row of rows) {
      const { body_sealed: sealed, api_key_id: apiKeyId, method, path, key } = row;
      if (condition(open(sealed, sealedResults.context(apiKeyId, method, path, key)))) selected.push(row);
    }
  }
  return selected;
}
