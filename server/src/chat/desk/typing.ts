import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { EventFeed } from '../../records/events/event-feed.ts';
import { selectTyping } from './desk.queries.ts';

const topic = 'conversation-typing';

/** Shows the colleagues of the actor, at all processes, that the actor writes. Throws `conversation_not_found` (404). */
export async function noteTyping(
  { db, notifications }: { db: Database; notifications: Pick<Notifications, 'publish'> },
  { scope, keyId }: Actor,
  conversationId: string,
): Promise<void> {
  if ((await selectTyping(db, scope, conversationId, keyId)) === undefined) throw notFound('conversation');
  notifications.publish(topic, `${conversationId} ${keyId}`);
}

/** Passes on to the streams of this process who writes where. Returns a function that stops this. */
export function followTyping({
  db,
  notifications,
  feed,
  logger,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe'>;
  feed: Pick<EventFeed, 'signal' | 'wantsSignals'>;
  logger: Pick<Logger, 'warn'>;
}): () => void {
  const pass = async (id: string): Promise<void> => {
    if (!feed.wantsSignals()) return;
    const [conversationId = '', authorId = ''] = id.split(' ');
    const typing = await selectTyping(db, { kind: 'all' }, conversationId, authorId);
    if (typing === undefined) return;
    const { team_id: teamId, author_name: name } = typing;
    feed.signal({
      teamId,
      authorId,
      data: { conversation_id: conversationId, author: { id: authorId, name } },
    });
  };
  return notifications.subscribe(topic, (id) => {
    pass(id).catch((error: unknown) => logger.warn({ err: error }, 'streams missed that somebody writes'));
  });
}
