import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosDatabase } from './database.ts';
import { leaseSeconds } from './deployment.ts';
import type { Ledger } from './ledger.ts';

const unfinished: Record<string, string> = {
  'has no living pool, or two': `
    select count(*)::int as pools from pools where lease_until > now() and not draining having count(*) <> 2`,
  'is started and not connected': `
    select d.id, d.phone_number from devices d left join pools p on p.id = d.pool_id
    where d.status = 'started' and not (d.connected and coalesce(p.lease_until > now(), false))`,
  'waits for an answer': `
    select id, contact_number, attempts, claimed_until, flag from conversations where answer_due_at is not null`,
  'waits to be sent': `
    select id, text, attempts, claimed_until, next_attempt_at from messages
    where direction = 'out' and status = 'accepted'`,
  'waits for the webhooks': `
    select e.id, e.type from events e, event_log l where (e.xid, e.seq) > (l.fanned_xid, l.fanned_seq)`,
  'waits to be delivered': `
    select event_id, attempts, next_attempt_at, error from webhook_deliveries where status = 'pending'`,
  'waits for cleanup': `select id, kind, attempts, last_error from tombstones where kind <> 'tagged'`,
};

/**
 * Statements that skip backoffs and the claims of dead processes, which would take minutes. Fences keep a living claimer
 * from writing after its claim ended.
 */
const skipWaits: readonly string[] = [
  `update messages set next_attempt_at = now()
   where direction = 'out' and status = 'accepted' and claimed_until is null and next_attempt_at > now()`,
  `update conversations set claimed_until = now()
   where claimed_until > now() + make_interval(secs => ${leaseSeconds + 1})`,
  `update webhook_deliveries set next_attempt_at = now()
   where status = 'pending' and next_attempt_at > now() + interval '1 second'`,
  `update tombstones set next_attempt_at = now()
   where kind <> 'tagged' and next_attempt_at > now() + interval '5 seconds'`,
  `update idempotency_keys set claimed_until = now()
   where claimed_until > now() and claimed_until < now() + interval '37 seconds'`,
];

const cleanupJob = `select graphile_worker.add_job('remove-buried', '{}'::json, job_key := 'chaos')`;

/** Phones with a missing acknowledgement. A dropped connection ends the wait for it. */
const blockedPhones = `
  select distinct d.phone_number as phone from messages m join devices d on d.id = m.device_id
  where m.direction = 'out' and m.status = 'accepted' and m.claimed_until > now()
    and m.claimed_until < now() + interval '27 seconds'`;

export interface IdleCheck {
  database: ChaosDatabase;
  ledger: Ledger;
  dropPhone(phone: string): Promise<void>;
  /** Contacts and lanes that still run. */
  pending(): string[];
}

export interface IdleResult {
  /** Work that was unfinished at the timeout. */
  left: string[];
  /** The last unfinished work. */
  last: string;
}

/** Waits until no work is left. */
export async function waitUntilIdle(check: IdleCheck, withinMs: number): Promise<IdleResult> {
  const { database } = check;
  const deadline = performance.now() + withinMs;
  let last = '';
  let nextHelpAt = performance.now() + helpIntervalMs;
  for (;;) {
    for (const statement of skipWaits) await database.query(statement);
    if (performance.now() > nextHelpAt) {
      await dropBlockedPhones(check);
      await database.query(cleanupJob);
      nextHelpAt = performance.now() + helpIntervalMs;
    }
    const unfinishedWork = await listUnfinished(check);
    if (unfinishedWork.length === 0) return { left: [], last };
    if (performance.now() > deadline) return { left: unfinishedWork, last };
    last = unfinishedWork.join('; ');
    await delay(100);
  }
}

const helpIntervalMs = 1_500;

async function dropBlockedPhones({ database, dropPhone }: IdleCheck): Promise<void> {
  for (const { phone } of await database.query<{ phone: string | null }>(blockedPhones))
    if (phone !== null) await dropPhone(phone);
}

async function listUnfinished({ database, ledger, pending }: IdleCheck): Promise<string[]> {
  const unfinishedWork: string[] = [];
  for (const [what, query] of Object.entries(unfinished)) {
    const rows = await database.query(query);
    if (rows.length > 0) unfinishedWork.push(`${what}: ${JSON.stringify(rows.slice(0, 5))} (${rows.length})`);
  }
  const missing = await database.query(
    `select id from unnest($1::text[]) as written (id)
     where not exists (select from messages m where m.direction = 'in' and m.network_id = written.id)`,
    [ledger.inbound.map(({ id }) => id)],
  );
  if (missing.length > 0)
    unfinishedWork.push(`the network has ${missing.length} messages that Parley has not stored`);
  const names = pending();
  if (names.length > 0)
    unfinishedWork.push(`still running: ${names.slice(0, 5).join(', ')} (${names.length})`);
  return unfinishedWork;
}
