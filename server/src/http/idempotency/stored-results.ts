import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption } from '../../shared/encryption.ts';
import { type ClaimedKey, completeKey, insertRefusal, selectKey } from './idempotency.queries.ts';

export interface StoredResult {
  status: number;
  body: object;
}

/** Results by Idempotency-Key. They are sealed because they can contain tokens and action headers. */
export interface StoredResults {
  /** Returns false if another request has claimed the key. */
  complete(
    tx: Transaction,
    key: ClaimedKey,
    result: StoredResult,
    options: { stillInFlight: boolean },
  ): Promise<boolean>;
  /** Stores a 4xx result after its transaction was rolled back, unless another request has claimed the key. */
  storeRefusal(key: ClaimedKey, refusal: StoredResult): Promise<void>;
  find(
    tx: Transaction,
    key: ClaimedKey,
  ): Promise<{ fingerprint: Buffer; isInFlight: boolean; result: StoredResult | null } | undefined>;
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
    complete: (tx, key, result, options) => completeKey(tx, key, seal(key, result), options),
    storeRefusal: (key, refusal) => insertRefusal(db, key, seal(key, refusal)),
    async find(tx, key) {
      const row = await selectKey(tx, key);
      if (row === undefined) return undefined;
      const { fingerprint, in_flight: isInFlight, status, body_sealed: body } = row;
      const result =
        status === null || body === null
          ? null
          : { status, body: JSON.parse(encryption.open(body, sealingContext(key)).toString()) };
      return { fingerprint, isInFlight, result };
    },
  };
}

const sealingContext = ({ apiKeyId, method, path, key }: ClaimedKey): string =>
  ['idempotency_keys', apiKeyId, method, path, key].join('\n');
