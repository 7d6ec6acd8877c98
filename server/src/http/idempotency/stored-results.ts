import type { Database, Transaction } from '../../database/database.ts';
import type { Encryption, SealedColumn } from '../../shared/encryption.ts';
import {
  type ClaimedKey,
  completeKey,
  forgetResults,
  insertRefusal,
  selectKey,
  selectStoredResults,
} from './idempotency.queries.ts';

export interface StoredResult {
  status: number;
  body: object;
}

/** Results by Idempotency-Key. They are sealed because they can contain tokens and action headers. */
export interface StoredResults {
  /** Returns false if another request has claimed the key. */
  complete(tx: Transaction, key: ClaimedKey, result: StoredResult): Promise<boolean>;
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
      return { fingerprint, isInFlight, result };
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

const resultsPerPage = 500;

/** Deletes the stored results that a condition selects, for example those with a contact's number. */
export async function forgetResultsThat(
  tx: Transaction,
  { open }: Pick<Encryption, 'open'>,
  isSelected: (result: Buffer) => boolean,
): Promise<void> {
  let after = '(0,0)';
  for (;;) {
    const rows = await selectStoredResults(tx, after, resultsPerPage);
    const found = rows.filter(({ body_sealed: sealed, api_key_id: apiKeyId, method, path, key }) =>
      isSelected(open(sealed, sealedResults.context(apiKeyId, method, path, key))),
    );
    if (found.length > 0) {
      await forgetResults(
        tx,
        found.map(({ at }) => at),
      );
    }
    after = rows.at(-1)?.at ?? after;
    if (rows.length < resultsPerPage) return;
  }
}
