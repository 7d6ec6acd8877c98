import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { answerConversationNow } from '../conversations/conversations.ts';
import { countWaiting, selectWaiting } from './waiting.queries.ts';

/** So many answers of a bot may be due before the run adds more. New messages of contacts wait behind few others. */
const mostDue = 50;
const pauseMs = 1_000;
const lowestId = '00000000-0000-0000-0000-000000000000';

const job = { name: 'answer-waiting', maxAttempts: 20 };

interface Run {
  teamId: string;
  botId: string;
  /** Conversations up to this id had their turn. Those that fail again do not get another. */
  after: string;
}

export const runKey = (botId: string): string => `${job.name}:${botId}`;

/** Starts a run over all conversations that wait. One that waits for its turn begins again. */
export const startRun = (tx: Transaction, { teamId, botId }: Omit<Run, 'after'>): Promise<void> =>
  enqueueRun(tx, { teamId, botId, after: lowestId }, new Date(0));

const enqueueRun = (tx: Transaction | Database, run: Run, runAt: Date): Promise<void> =>
  enqueueJob(tx, job.name, run, { key: runKey(run.botId), runAt, maxAttempts: job.maxAttempts });

/** Makes conversations due a few at a time. After a crash, it continues: those that are due wait no longer. */
export const answerWaitingJob = ({
  db,
  notifications,
}: {
  db: Database;
  notifications: Pick<Notifications, 'publish'>;
}): Job<Run> => ({
  ...job,
  async run({ teamId, botId, after }, signal) {
    const { due } = await countWaiting(db, { teamId, botId });
    const limit = Math.max(0, mostDue - due);
    const ids = limit === 0 ? [] : await selectWaiting(db, { teamId, botId, after, limit });
    for (const id of ids) {
      signal.throwIfAborted();
      await answerOne({ db, notifications }, teamId, id);
    }
    if (limit > 0 && ids.length < limit) return;
    await enqueueRun(db, { teamId, botId, after: ids.at(-1) ?? after }, new Date(Date.now() + pauseMs));
  },
});

/** A conversation that a person paused, closed or answered meanwhile is left alone. */
async function answerOne(
  { db, notifications }: { db: Database; notifications: Pick<Notifications, 'publish'> },
  teamId: string,
  id: string,
): Promise<void> {
  const actor = { keyId: job.name, scope: { kind: 'team', teamId } as const, role: null };
  try {
    await db.transaction().execute((tx) => answerConversationNow(tx, actor, id));
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return;
    throw error;
  }
  notifications.publish('conversation-due', id);
}
