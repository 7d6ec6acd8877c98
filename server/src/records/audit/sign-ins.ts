import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { SignIn } from '../../tenancy/access-tokens/access-tokens.routes.ts';
import { insertSignIns, type SignInRow } from './audit.sql.ts';

/** Writes exchanges of API keys to the audit log, so that the exchange itself needs no statement for it. */
export interface SignIns {
  note(signIn: SignIn): void;
  close(): Promise<void>;
}

/** A flood of refused exchanges must not fill the log. Further ones of an interval share a row without key and address. */
const maxRefusedRows = 50;
const firstAfterMs = 500;

/** One row for each key, address and outcome of an interval, with the number of exchanges. */
export function createSignIns({
  db,
  logger,
  intervalMs = 10_000,
}: {
  db: Database;
  logger: Pick<Logger, 'warn'>;
  intervalMs?: number;
}): SignIns {
  let noted = new Map<string, SignInRow>();
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastWrite = Number.NEGATIVE_INFINITY;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = undefined;
    const rows = [...noted.values()];
    [noted, refused] = [new Map(), 0];
    lastWrite = performance.now();
    if (rows.length === 0) return;
    await insertSignIns(db, rows).catch((error: unknown) =>
      logger.warn({ err: error, rows: rows.length }, 'could not write sign-ins to the audit log'),
    );
  };

  return {
    note({ keyId, requestId, address, accepted }) {
      const isShared = !accepted && refused >= maxRefusedRows;
      const key = isShared ? 'further' : JSON.stringify([accepted, keyId, address]);
      const row = noted.get(key);
      if (row !== undefined) row.exchanges += 1;
      else {
        if (!accepted && !isShared) refused += 1;
        const caller = isShared
          ? { keyId: null, requestId: null, address: null }
          : { keyId, requestId, address };
        noted.set(key, { ...caller, accepted, exchanges: 1 });
      }
      timer ??= setTimeout(
        () => {
          writing = write();
        },
        Math.max(firstAfterMs, lastWrite + intervalMs - performance.now()),
      ).unref();
    },
    async close() {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
