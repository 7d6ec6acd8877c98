import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { ListMessages, MessageRecord } from './messages.schemas.ts';
import { getMessage, listMessages, openMessageMedia } from './messages.ts';

const base = '/api/openapi/v1/messages';

export const messageRoutes =
  ({
    db,
    fileStore,
    readList,
  }: {
    db: Database;
    fileStore: Pick<FileStore, 'open'>;
    readList: ReadList;
  }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        id: 'listMessages',
        summary: 'List messages in both directions, newest first',
        description:
          'Filters combine. A page past the end is empty. Over all teams, `total` and the pages end at 100,000 messages, and `after` leads beyond.',
        tag: 'Messages',
        access: 'anyKey',
        query: ListMessages,
        data: Type.Array(MessageRecord),
        meta: PageMeta,
        extension: true,
      }),
      async (request) => {
        const { messages, total } = await readList((db) =>
          listMessages(db, requireActor(request), request.query),
        );
        return successWithMeta(messages, pageMeta(request.query, total, messages));
      },
    );

    app.get(
      `${base}/:id`,
      operation({
        id: 'getMessage',
        summary: 'Get a message with its delivery status or its outcome',
        description:
          '`status` is the delivery status of an outbound message. `outcome` is the result of an inbound one.',
        tag: 'Messages',
        access: 'anyKey',
        resource: 'message',
        data: MessageRecord,
        extension: true,
      }),
      async (request) => success(await getMessage(db, requireActor(request), pathParameter(request))),
    );

    app.get(
      `${base}/:id/media`,
      operation({
        id: 'getMessageMedia',
        summary: "Get a message's file",
        description:
          'The image, voice note or document of a message. Always an attachment, because contacts choose its content and its type. A message without a file is 404 `media_not_found`.',
        tag: 'Messages',
        access: 'anyKey',
        resource: 'message',
        data: Type.String(),
        file: {
          description: 'The file, with the type that its sender gave it.',
          types: ['image/*', 'audio/*', 'video/*', 'application/*', 'text/*'],
        },
        extension: true,
      }),
      async (request, reply) => {
        const { mimeType, size, body } = await openMessageMedia(
          { db, fileStore },
          requireActor(request),
          pathParameter(request),
        );
        return reply
          .headers({
            'content-type': mimeType,
            'content-length': size,
            'content-disposition': 'attachment',
            'x-content-type-options': 'nosniff',
            'content-security-policy': "default-src 'none'; sandbox",
          })
          .send(body);
      },
    );
  };
