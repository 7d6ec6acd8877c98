import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { Conversation } from '../conversations/conversations.schemas.ts';
import {
  AssignConversation,
  CreateNote,
  LabelConversation,
  ListNotes,
  Note,
  PutSavedReplies,
  StoredReplies,
} from './desk.schemas.ts';
import {
  addNote,
  assignConversation,
  getSavedReplies,
  labelConversation,
  listNotes,
  putSavedReplies,
} from './desk.ts';
import { noteTyping } from './typing.ts';

interface Dependencies {
  db: Database;
  readList: ReadList;
  idempotency: Idempotency;
  notifications: Pick<Notifications, 'publish'>;
}

const base = '/api/openapi/v1/conversations/:id';
const ofConversation = {
  tag: 'Conversations',
  access: 'anyKey',
  resource: 'conversation',
  extension: true,
} as const;

/** How the people of a team share its conversations. */
export const deskRoutes =
  ({ db, readList, idempotency, notifications }: Dependencies): Routes =>
  (app) => {
    app.post(
      `${base}/assign`,
      operation({
        ...ofConversation,
        id: 'assignConversation',
        summary: 'Say who takes care of a conversation',
        description: 'The contact does not learn of it.',
        body: AssignConversation,
        data: Conversation,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(
          await db.transaction().execute((tx) => assignConversation(tx, actor, id, request.body)),
        );
      },
    );

    app.post(
      `${base}/labels`,
      operation({
        ...ofConversation,
        id: 'labelConversation',
        summary: 'Set the labels of a conversation',
        description: 'Labels exist as soon as something has them. The contact does not see them.',
        body: LabelConversation,
        data: Conversation,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(
          await db.transaction().execute((tx) => labelConversation(tx, actor, id, request.body.labels)),
        );
      },
    );

    app.post(
      `${base}/notes`,
      operation({
        ...ofConversation,
        id: 'createNote',
        summary: 'Add a note to a conversation',
        description: 'The people of the team see it. The contact and the bot never do.',
        body: CreateNote,
        data: Note,
        idempotent: true,
      }),
      async (request, reply) =>
        idempotency.inTransaction({ request, reply }, async (tx) =>
          success(await addNote(tx, requireActor(request), pathParameter(request), request.body)),
        ),
    );

    app.get(
      `${base}/notes`,
      operation({
        ...ofConversation,
        id: 'listNotes',
        summary: 'List the notes of a conversation, newest first',
        description: 'They end with the conversation.',
        query: ListNotes,
        data: Type.Array(Note),
        meta: PageMeta,
      }),
      async (request) => {
        const { notes, total } = await readList((db) =>
          listNotes(db, requireActor(request), pathParameter(request), request.query),
        );
        return successWithMeta(notes, pageMeta(request.query, total, notes));
      },
    );

    app.post(
      `${base}/typing`,
      operation({
        ...ofConversation,
        id: 'noteTyping',
        summary: 'Show colleagues that you write in a conversation',
        description:
          'Streams that name the type `conversation.typing` get it at once. Nothing is stored, and the contact does not learn of it. Repeat it every 3 seconds while the person writes.',
        data: Message,
      }),
      async (request) => {
        await noteTyping({ db, notifications }, requireActor(request), pathParameter(request));
        return success({ message: 'Shown to colleagues' });
      },
    );

    const ofTeam = { tag: 'Teams', access: 'anyKey', resource: 'team', extension: true } as const;
    const replies = '/api/openapi/v1/teams/:id/saved-replies';

    app.get(
      replies,
      operation({
        ...ofTeam,
        id: 'getSavedReplies',
        summary: 'Get the saved replies of a team',
        description: 'Texts that its people often send. In the console, `/` and the name insert one.',
        data: StoredReplies,
      }),
      async (request) => success(await getSavedReplies(db, requireActor(request), pathParameter(request))),
    );

    app.put(
      replies,
      operation({
        ...ofTeam,
        id: 'putSavedReplies',
        summary: 'Set the saved replies of a team',
        description: 'Replaces all of them.',
        body: PutSavedReplies,
        data: StoredReplies,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => putSavedReplies(tx, actor, id, request.body)));
      },
    );
  };
