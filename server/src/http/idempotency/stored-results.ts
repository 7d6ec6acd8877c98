import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption } from '../../shared/encryption.ts';
import { type ClaimedKey, completeKey, insertRefusal, selectKey } from './idempotency.queries.ts';

export interface StoredResult {
  status: number;
  body: object;
}

/** The results of operations under their Idempotency-Keys: sealed, since they hold tokens and headers of actions. */
export interface StoredResults {
  /** Writes the result under our claim. False when another request holds the key by now. */
  complete(
    tx: Transaction,
    key: ClaimedKey,
    result: StoredResult,
    options: { stillInFlight: boolean },
  ): Promise<boolean>;
  /** Keeps a refusal whose transaction was rolled back, unless another request has taken the key since. */
  refuse(key: ClaimedKey, refusal: StoredResult): Promise<void>;
  /** The request that has the key; its result, once there is one. */
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
  const sealed = (key: ClaimedKey, { status, body }: StoredResult) => ({
    status,
    sealed: encryption.seal(Buffer.from(JSON.stringify(body)), context(key)),
  });
  return {
    complete: (tx, key, result, options) => completeKey(tx, key, sealed(key, result), options),
    refuse: (key, refusal) => insertRefusal(db, key, sealed(key, refusal)),
    async find(tx, key) {
      const row = await selectKey(tx, key);
      if (row === undefined) return undefined;
      const { fingerprint, in_flight: isInFlight, status, body_sealed: body } = row;
      const result =
        status === null || body === null
          ? null
          : { status, body: JSON.parse(encryption.open(body, context(key)).toString()) };
      return { fingerprint, isInFlight, result };
    },
  };
}

const context = ({ apiKeyId, method, path, key }: ClaimedKey): string =>
  ['idempotency_keys', apiKeyId, method, path, key].join('\n');
