import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { ChainLink } from './audit.queries.ts';
import type { AuditMeters } from './audit-metrics.ts';
import { chainAuditLog, formatHead, hasLink } from './chain.ts';

interface ChainDependencies {
  db: Database;
  keyedHash: KeyedHash;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  meters: AuditMeters;
  installationId: string;
  /** Gets every head by POST. Null: nobody. */
  headUrl: string | null;
  outbound: Pick<Outbound, 'call'>;
}

/** Chains new rows, and publishes the head where a writer of the database does not reach it. */
export function chainAuditLogJob(deps: ChainDependencies): Job {
  const { db, keyedHash, logger, meters } = deps;
  let [published, posted]: (string | null)[] = [null, null];
  let last: ChainLink | null = null;
  return {
    name: 'chain-audit-log',
    schedule: '* * * * *',
    maxAttempts: 2,
    oneAtATime: true,
    async run(_payload, signal) {
      if (last !== null && !(await hasLink(db, last))) {
        meters.rewritten.set(1);
        logger.error(
          { head: formatHead(last) },
          'the audit log was rewritten or cut off: it does not have this head any more; new rows stay unchained until a restart',
        );
        return;
      }
      const end = await chainAuditLog(db, keyedHash, signal);
      if (end === null) return;
      last = end;
      const head = formatHead(end);
      if (head !== published) {
        logger.info({ head }, 'head of the audit log');
        meters.head.reset();
        meters.head.set({ head }, end.position);
        published = head;
      }
      if (deps.headUrl !== null && head !== posted && (await post(deps, deps.headUrl, head, signal)))
        posted = head;
    },
  };
}

async function post(
  { outbound, installationId, logger }: ChainDependencies,
  url: string,
  head: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { status } = await outbound.call(
      {
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ installation_id: installationId, head }),
      },
      { signal, maxBytes: 65_536, timeoutMs: 10_000 },
    );
    if (status >= 200 && status < 300) return true;
    logger.warn({ status, head }, 'AUDIT_HEAD_URL refused the head of the audit log; retrying in a minute');
  } catch (error) {
    logger.warn(
      { err: error, head },
      'AUDIT_HEAD_URL did not receive the head of the audit log; retrying in a minute',
    );
  }
  return false;
}
