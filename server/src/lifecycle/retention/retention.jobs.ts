import { setTimeout as delay } from 'node:timers/promises';
import { deleteExpiredAnswers } from '../../chat/answering/answers.sql.ts';
import { settleAnswers } from '../../chat/answering/bot-days.sql.ts';
import { deleteExpiredContactRows } from '../../chat/contacts/contacts.sql.ts';
import {
  deleteExpiredContacts,
  deleteExpiredConversations,
} from '../../chat/conversations/conversations.sql.ts';
import { deleteExpiredMessages } from '../../chat/messages/messages.sql.ts';
import { deleteExpiredPushed } from '../../devices/inbox.sql.ts';
import type { Expired } from '../../platform/database/bulk-rows.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { deleteExpiredResults } from '../../quality/runs/results.sql.ts';
import { deleteExpiredEvents, deleteOldestEvents } from '../../records/events/events.sql.ts';
import { defaultSettings } from '../../tenancy/teams/teams.schemas.ts';
import { selectRetentions } from '../../tenancy/teams/teams.sql.ts';
import { deleteExpiredModelCalls } from '../../tenancy/usage/model-calls.sql.ts';

export const purgeExpiredJob = (deps: { db: Database; clock: Pick<Clock, 'now'> }): Job => ({
  name: 'purge-expired',
  schedule: '23 * * * *',
  maxAttempts: 2,
  oneAtATime: true,
  run: (_payload, signal) => purgeExpired(deps, signal),
});

const rowsPerBatch = 500;
const teamsPerPage = 200;
const dayMs = 86_400_000;

const purges: readonly ((db: Database, expired: Expired) => Promise<number>)[] = [
  deleteExpiredMessages,
  deleteExpiredConversations,
  deleteExpiredContacts,
  deleteExpiredContactRows,
  deleteExpiredAnswers,
  deleteExpiredResults,
  deleteExpiredModelCalls,
  deleteExpiredEvents,
  deleteExpiredPushed,
];

/**
 * Counts which answers were resolved alone, then deletes data older than each team's `retention_days`, in small batches. Pauses after each batch for twice the time that
 * the batch took, so that requests keep most of the database.
 */
export async function purgeExpired(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  signal: AbortSignal,
): Promise<void> {
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const teams = await selectRetentions(db, after, teamsPerPage);
    for (const { teamId, retentionDays } of teams) {
      // Of the answers that are deleted next, too: the shortest retention is a day.
      await settleAnswers(db, { teamId, until: before(1) });
      const expired = { teamId, before: before(retentionDays), limit: rowsPerBatch };
      for (const purge of purges) await inBatches(() => purge(db, expired), signal);
    }
    after = teams.at(-1)?.teamId ?? after;
    if (teams.length < teamsPerPage) break;
  }
  const oldest = before(defaultSettings.retention_days);
  await inBatches(() => deleteOldestEvents(db, oldest, rowsPerBatch), signal);
}

async function inBatches(deleteBatch: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    if ((await deleteBatch()) < rowsPerBatch) return;
    await delay(2 * (performance.now() - startedAt));
  }
}
