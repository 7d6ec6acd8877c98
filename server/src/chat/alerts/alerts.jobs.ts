import type { Database } from '../../platform/database/database.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { Outbox } from '../../tenancy/people/mails.ts';
import { describeWaiting } from './alert-texts.ts';
import {
  deleteSubscription,
  refreshAlerts,
  selectSubscription,
  type Told,
  takeMails,
  takePushes,
  tryLockTelling,
} from './alerts.queries.ts';
import { openPushKeys, type PushContent, push, subscriptionContext } from './push.ts';

const sendPush = { name: 'send-push', maxAttempts: 5 };
const mailHours = 12;

/** Tells people what began to wait for them, and marks it in the same transaction. Does nothing while another worker does it. */
export async function tellPeople({ db, outbox }: { db: Database; outbox: Outbox | null }): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await tryLockTelling(tx))) return;
    await refreshAlerts(tx);
    for (const told of await takePushes(tx)) {
      const content = { ...textOf(told), title: told.team_name ?? '' };
      for (const id of told.subscriptions)
        await enqueueJob(tx, sendPush.name, { id, content }, { maxAttempts: sendPush.maxAttempts });
    }
    for (const told of outbox === null ? [] : await takeMails(tx)) {
      const { body, path } = textOf(told);
      await outbox?.add(tx, {
        kind: 'alert',
        email: told.email,
        language: told.language,
        secret: JSON.stringify({ text: body, path }),
        expiresAt: new Date(Date.now() + mailHours * 3_600_000),
      });
    }
  });
}

/** Leads to the conversation if it is the only one. */
const textOf = (told: Told): { body: string; path: string } => ({
  body: describeWaiting(told, told.language),
  path: told.conversation_id === null ? '/' : `/conversations/${told.conversation_id}`,
});

const intervalMs = 5_000;

/** Tells people every 5 seconds. */
export function startTelling({
  db,
  outbox,
  logger,
}: {
  db: Database;
  outbox: Outbox | null;
  logger: Pick<Logger, 'warn'>;
}): { close(): Promise<void> } {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(() => tellPeople({ db, outbox }))
      .catch((error: unknown) => logger.warn({ err: error }, 'people hear later of what waits for them'));
  }, intervalMs);
  return {
    close() {
      clearInterval(timer);
      return running;
    },
  };
}

/** Gives a message to the push service of a browser, again after failures. A browser that unsubscribed is forgotten. */
export const sendPushJob = ({
  db,
  encryption,
  outbound,
  subject,
  brandName,
}: {
  db: Database;
  encryption: Pick<Encryption, 'open' | 'seal'>;
  outbound: Pick<Outbound, 'call'>;
  /** The address of the operator for push services: `mailto:` or `https:`. */
  subject: string;
  brandName: string;
}): Job<{ id: string; content: PushContent }> => ({
  ...sendPush,
  async run({ id, content }, signal) {
    const row = await selectSubscription(db, id);
    if (row === undefined) return;
    const subscription = JSON.parse(encryption.open(row.sealed, subscriptionContext(id)).toString());
    const keys = await openPushKeys(db, encryption);
    const shown = { ...content, title: content.title || brandName };
    if ((await push({ outbound, keys, subject }, subscription, shown, signal)) === 'gone')
      await deleteSubscription(db, id);
  },
});
