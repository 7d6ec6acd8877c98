import { setImmediate } from 'node:timers/promises';
import { sealedPushColumns } from '../../chat/alerts/push.ts';
import { sealedSessions } from '../../devices/device-sessions.sql.ts';
import { sealedBotColumns } from '../../knowledge/bots/sealed-columns.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { sealedDeviceTokenKey } from '../../platform/database/installation.queries.ts';
import { sealedResults } from '../../platform/http/idempotency/stored-results.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { selectRegisteredKeys, tryLockKeys, unregisterKeys } from '../../platform/keyring/keyring.sql.ts';
import type { Encryption, SealedColumn } from '../../platform/shared/encryption.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { sealedWebhookColumns } from '../../records/webhooks/secrets.ts';
import { selectUsableKeysOfOtherHash } from '../../tenancy/api-keys/api-keys.sql.ts';
import { sealedMailSecrets } from '../../tenancy/people/mails.ts';
import { sealedSecondFactors } from '../../tenancy/people/second-factor.ts';
import { countBlocks, hasOldValues, lockOldValues, replaceValues } from './reencryption.queries.ts';
import type { RotationMeters } from './rotation-metrics.ts';

export const sealedColumns: readonly SealedColumn[] = [
  sealedDeviceTokenKey,
  ...sealedBotColumns,
  sealedResults,
  sealedSessions,
  ...sealedWebhookColumns,
  sealedMailSecrets,
  ...sealedPushColumns,
  sealedSecondFactors,
];

/** At most a few hundred rows, which are locked for some milliseconds. */
const blocksPerStep = 8;
const logEveryMs = 10_000;

interface RotationDeps {
  db: Database;
  encryption: Encryption;
  logger: Pick<Logger, 'info' | 'warn'>;
  meters: { values: Pick<RotationMeters['values'], 'inc'> };
}

/** Encrypts values again after `ENCRYPTION_KEY` got a new first key. A repeated run skips finished values. */
export function keyRotationJob(deps: RotationDeps): Job {
  const { db, encryption, logger } = deps;
  return {
    name: 'rotate-encryption-key',
    schedule: '* * * * *',
    maxAttempts: 2,
    async run(_payload, signal) {
      const older = (await selectRegisteredKeys(db)).filter((keyId) => keyId !== encryption.keyIds[0]);
      if (older.length === 0) return;
      if (!(await db.transaction().execute((tx) => tryLockKeys(tx, older)))) {
        logger.info(
          { keys: older },
          'another process still encrypts with an older key; waiting until it stops',
        );
        return;
      }
      for (const column of sealedColumns) await reencryptColumn(deps, column, signal);
      if (!signal.aborted) await finish(deps, older);
    },
  };
}

async function reencryptColumn(deps: RotationDeps, column: SealedColumn, signal: AbortSignal): Promise<void> {
  const { db, logger, meters } = deps;
  const { table } = column;
  const blocks = await countBlocks(db, column);
  let values = 0;
  let loggedAt = performance.now();
  for (let from = 0; from < blocks && !signal.aborted; from += blocksPerStep) {
    const range = { from, to: from + blocksPerStep };
    const count = await db.transaction().execute((tx) => reencryptRange(tx, deps.encryption, column, range));
    values += count;
    meters.values.inc({ table }, count);
    if (performance.now() - loggedAt < logEveryMs) continue;
    loggedAt = performance.now();
    logger.info({ table, values, percent: Math.floor((100 * range.to) / blocks) }, 'encrypting values again');
    await setImmediate();
  }
  if (values > 0) logger.info({ table, values }, 'values encrypted with the current key');
}

async function reencryptRange(
  tx: Transaction,
  encryption: Encryption,
  column: SealedColumn,
  range: { from: number; to: number },
): Promise<number> {
  const old = await lockOldValues(tx, column, encryption.currentHeader, range);
  if (old.length === 0) return 0;
  const values = old.map(({ at, sealed, identity }) => {
    const context = column.context(...identity);
    return { at, sealed: encryption.seal(encryption.open(sealed, context), context) };
  });
  await replaceValues(tx, column, values);
  return values.length;
}

/** Unregisters the older keys if nothing needs them. Otherwise the next run continues. */
async function finish({ db, encryption, logger }: RotationDeps, older: readonly string[]): Promise<void> {
  const [currentKey] = encryption.keyIds;
  await db.transaction().execute(async (tx) => {
    if (!(await tryLockKeys(tx, older))) return;
    for (const column of sealedColumns) {
      if (!(await hasOldValues(tx, column, encryption.currentHeader))) continue;
      logger.info({ table: column.table }, 'some values were in use; the next run encrypts them again');
      return;
    }
    const apiKeys = await selectUsableKeysOfOtherHash(tx, currentKey);
    if (apiKeys.length > 0) {
      logger.warn(
        { apiKeys },
        'all values are encrypted with the current key, but these API keys were not exchanged since; keep the older ' +
          'encryption keys until they are, or deactivate the API keys',
      );
      return;
    }
    await unregisterKeys(tx, older);
    logger.info(
      { keys: older },
      'nothing needs the older encryption keys; remove them from ENCRYPTION_KEY after 24 hours, when the access tokens ' +
        'signed with them have expired',
    );
  });
}
