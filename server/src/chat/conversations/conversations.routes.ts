import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { MessageRecord } from '../messages/messages.schemas.ts';
import { selectConversations } from './conversations.queries.ts';
import {
  Conversation,
  ListConversationMessages,
  ListConversations,
  WriteMessage,
} from './conversations.schemas.ts';
import {
  answerConversationNow,
  closeConversation,
  getConversation,
  listConversationMessages,
  markConversationRead,
  pauseConversation,
  presentConversation,
  resumeConversation,
  sendAsPerson,
} from './conversations.ts';

interface Dependencies {
  db: Database;
  readList: ReadList;
  idempotency: Idempotency;
  notifications: Pick<Notifications, 'publish'>;
}

const base = '/api/openapi/v1/conversations';

export const conversationRoutes =
  (deps: Dependencies): Routes =>
  (app) => {
    readRoutes(app, deps);
    personRoutes(app, deps);
  };

function readRoutes(app: App, { db, readList }: Dependencies): void {
  app.get(
    base,
    operation({
      id: 'listConversations',
      summary: 'List conversations, newest first',
      description:
        'Filters combine. `sort=last_message_at` begins with the conversation in which the contact or a person of the team wrote last.',
      tag: 'Conversations',
      access: 'anyKey',
      query: ListConversations,
      data: Type.Array(Conversation),
      meta: PageMeta,
      extension: true,
    }),
    async (request) => {
      const { rows, total } = await readList((db) =>
        selectConversations(db, requireActor(request).scope, request.query),
      );
      const { sort = 'created_at' } = request.query;
      const meta = pageMeta(request.query, total, rows, (row) => row[sort]);
      return successWithMeta(rows.map(presentConversation), meta);
    },
  );

  app.get(
    `${base}/:id`,
    operation({
      id: 'getConversation',
      summary: 'Get a conversation',
      description: '`state` says who answers: the bot, or a person while it is `paused`.',
      tag: 'Conversations',
      access: 'anyKey',
      resource: 'conversation',
      data: Conversation,
      extension: true,
    }),
    async (request) => success(await getConversation(db, requireActor(request), pathParameter(request))),
  );

  app.get(
    `${base}/:id/messages`,
    operation({
      id: 'listConversationMessages',
      summary: 'List the messages of a conversation in both directions, newest first',
      description: 'Contains the messages of the contact, the bot, the API and persons.',
      tag: 'Conversations',
      access: 'anyKey',
      resource: 'conversation',
      query: ListConversationMessages,
      data: Type.Array(MessageRecord),
      meta: PageMeta,
      extension: true,
    }),
    async (request) => {
      const { messages, total } = await listConversationMessages(
        db,
        requireActor(request),
        pathParameter(request),
        request.query,
      );
      return successWithMeta(messages, pageMeta(request.query, total, messages));
    },
  );
}

function personRoutes(app: App, { db, idempotency, notifications }: Dependencies): void {
  app.post(
    `${base}/:id/messages`,
    operation({
      id: 'writeToConversation',
      summary: 'Answer in a conversation as a person',
      description:
        "Pauses the bot in the conversation for the team's `human_takeover_minutes`. Costs no active message, because the contact wrote first.",
      tag: 'Conversations',
      access: 'anyKey',
      resource: 'conversation',
      body: WriteMessage,
      data: MessageRecord,
      extension: true,
      idempotent: true,
    }),
    async (request, reply) => {
      const response = await idempotency.inTransaction({ request, reply }, async (tx) =>
        success(
          await sendAsPerson(tx, requireActor(request), pathParameter(request), request.body, request.id),
        ),
      );
      notifications.publish('message-due', response.data.device_id);
      return response;
    },
  );

  for (const { name, id: operationId, summary, description, act } of [
    {
      name: 'pause',
      id: 'pauseConversation',
      summary: 'Pause the bot in a conversation until it is resumed',
      description: 'Messages are stored, but the bot does not answer.',
      act: pauseConversation,
    },
    {
      name: 'close',
      id: 'closeConversation',
      summary: 'Close a conversation',
      description:
        'Ends its flag and a pause, and marks its messages as read. Messages that wait are not answered. The next message of the contact opens it, and the bot answers.',
      act: closeConversation,
    },
    {
      name: 'answer',
      id: 'answerConversation',
      summary: 'Let the bot answer the messages that wait in a conversation',
      description:
        'For messages that the bot did not answer because it was not published, had no credits, failed or was paused, after the cause is gone. It answers those since it or a person last wrote.',
      act: answerConversationNow,
    },
    {
      name: 'read',
      id: 'markConversationRead',
      summary: 'Mark the messages of a conversation as read',
      description:
        'The team sees them as read. The contact does not learn of it. A person who writes has read them, too.',
      act: markConversationRead,
    },
    {
      name: 'resume',
      id: 'resumeConversation',
      summary: 'Let the bot answer in a conversation again',
      description: 'The bot answers the next message. It does not answer those of the pause.',
      act: resumeConversation,
    },
  ]) {
    app.post(
      `${base}/:id/${name}`,
      operation({
        id: operationId,
        summary,
        description,
        tag: 'Conversations',
        access: 'anyKey',
        resource: 'conversation',
        data: Conversation,
        extension: true,
      }),
      async (request) => {
        const id = pathParameter(request);
        const conversation = await db.transaction().execute((tx) => act(tx, requireActor(request), id));
        if (act === answerConversationNow) notifications.publish('conversation-due', id);
        return success(conversation);
      },
    );
  }
}
