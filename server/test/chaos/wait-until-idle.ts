import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosDatabase } from './database.ts';
import { leaseSeconds } from './deployment.ts';
import type { Ledger } from './ledger.ts';

/** What still has to happen before everything is at rest; each answers the rows that are not. */
const unrest: Record<string, string> = {
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
  'waits to be removed': `select id, kind, attempts, last_error from tombstones where kind <> 'tagged'`,
};

/**
 * Lets the time pass that nobody has: what was put off after a failure, or was claimed for long by who is dead, comes
 * now. Claims fence what is written under them, so that a living claimer who is overtaken writes nothing.
 */
const passing: readonly string[] = [
  `update messages set next_attempt_at = now()
   where direction = 'out' and status = 'accepted' and claimed_until is null and next_attempt_at > now()`,
  `update conversations set claimed_until = now()
   where claimed_until > now() + make_interval(secs => ${leaseSeconds + 1})`,
  `update tombstones set next_attempt_at = now()
   where kind <> 'tagged' and next_attempt_at > now() + interval '5 seconds'`,
  `update idempotency_keys set claimed_until = now()
   where claimed_until > now() and claimed_until < now() + interval '37 seconds'`,
];

const removalJob = `select graphile_worker.add_job('remove-buried', '{}'::json, job_key := 'chaos')`;

/** Messages whose acknowledgement is awaited, by phone: of those the connections may be dropped. */
const awaited = `
  select distinct d.phone_number as phone from messages m join devices d on d.id = m.device_id
  where m.direction = 'out' and m.status = 'accepted' and m.claimed_until > now()
    and m.claimed_until < now() + interval '27 seconds'`;

export interface IdleCheck {
  database: ChaosDatabase;
  ledger: Ledger;
  dropPhone(phone: string): Promise<void>;
  /** What the contacts and the partner are still at. */
  pending(): string[];
}

/** How it came to rest. */
export interface IdleResult {
  /** What still was not after the time given; none when all is at rest. */
  left: string[];
  /** What came to rest last. */
  last: string;
}

/**
 * Waits until nothing is left to do. What the network holds back (an acknowledgement that never comes) ends with the
 * connection.
 */
export async function waitUntilIdle(resting: IdleCheck, withinMs: number): Promise<IdleResult> {
  const { database } = resting;
  const deadline = performance.now() + withinMs;
  let last = '';
  let nextHelp = performance.now() + betweenHelpMs;
  for (;;) {
    for (const statement of passing) await database.ask(statement);
    if (performance.now() > nextHelp) {
      await dropAwaited(resting);
      await database.ask(removalJob);
      nextHelp = performance.now() + betweenHelpMs;
    }
    const restless = await whatIsRestless(resting);
    if (restless.length === 0) return { left: [], last };
    if (performance.now() > deadline) return { left: restless, last };
    last = restless.join('; ');
    await delay(100);
  }
}

const betweenHelpMs = 1_500;

async function dropAwaited({ database, dropPhone }: IdleCheck): Promise<void> {
  for (const { phone } of await database.ask<{ phone: string | null }>(awaited))
    if (phone !== null) await dropPhone(phone);
}

async function whatIsRestless({ database, ledger, pending }: IdleCheck): Promise<string[]> {
  const restless: string[] = [];
  for (const [what, query] of Object.entries(unrest)) {
    const rows = await database.ask(query);
    if (rows.length > 0) restless.push(`${what}: ${JSON.stringify(rows.slice(0, 5))} (${rows.length})`);
  }
  const missing = await database.ask(
    `select id from unnest($1::text[]) as written (id)
     where not exists (select from messages m where m.direction = 'in' and m.network_id = written.id)`,
    [ledger.inbound.map(({ id }) => id)],
  );
  if (missing.length > 0) restless.push(`the network has ${missing.length} messages that did not come in`);
  const names = pending();
  if (names.length > 0) restless.push(`still at it: ${names.slice(0, 5).join(', ')} (${names.length})`);
  return restless;
}
