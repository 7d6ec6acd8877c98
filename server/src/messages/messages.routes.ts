import { Type } from 'typebox';
import type { Database } from '../database/database.ts';
import { requireActor } from '../http/actor.ts';
import type { Routes } from '../http/fastify-app.ts';
import { operation, success, successWithMeta } from '../http/operation.ts';
import { PageMeta, pageMeta } from '../http/pagination.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { ListMessages, MessageRecord } from './messages.schemas.ts';
import { getMessage, listMessages } from './messages.ts';

const base = '/api/openapi/v1/messages';

export const messageRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        id: 'listMessages',
        summary: 'List messages in both directions, newest first',
        tag: 'Messages',
        access: 'any',
        query: ListMessages,
        data: Type.Array(MessageRecord),
        meta: PageMeta,
        extension: true,
      }),
      async (request) => {
        const { messages, total } = await listMessages(db, requireActor(request), request.query);
        return successWithMeta(messages, pageMeta(request.query, total));
      },
    );

    app.get(
      `${base}/:id`,
      operation({
        id: 'getMessage',
        summary: 'Get a message and what became of it',
        tag: 'Messages',
        access: 'any',
        resource: 'message',
        data: MessageRecord,
        extension: true,
      }),
      async (request) => success(await getMessage(db, requireActor(request), pathParameter(request))),
    );
  };
