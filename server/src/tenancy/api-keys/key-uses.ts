import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { updateLastUsed } from './api-keys.queries.ts';

/** Updates `last_used` with one statement per interval instead of one per request. */
export interface KeyUses {
  note(keyId: string): void;
  close(): Promise<void>;
}

/** Writes at most once per `intervalMs`. After an idle period, the first use is written after `firstAfterMs`. */
export function createKeyUses({
  db,
  clock,
  logger,
  intervalMs = 30_000,
  firstAfterMs = 500,
}: {
  db: Database;
  clock: Pick<Clock, 'now'>;
  logger: Pick<Logger, 'warn'>;
  intervalMs?: number;
  firstAfterMs?: number;
}): KeyUses {
  let noted = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let lastWrite = Number.NEGATIVE_INFINITY;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = undefined;
    if (noted.size === 0) return;
    const uses = noted;
    noted = new Map();
    lastWrite = performance.now();
    const noteAgain = (keyIds: Iterable<string>) => {
      for (const keyId of keyIds) {
        const at = noted.get(keyId) ?? uses.get(keyId);
        if (at !== undefined) noted.set(keyId, at);
      }
    };
    try {
      noteAgain(await updateLastUsed(db, uses));
    } catch (error) {
      logger.warn({ err: error }, 'could not update last_used of API keys; retrying with the next update');
      noteAgain(uses.keys());
    }
  };

  return {
    note(keyId) {
      noted.set(keyId, clock.now());
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
