import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { MessageAnswer } from './ask.schemas.ts';
import { selectMessageAnswer } from './message-answer.queries.ts';
import { presentTrace } from './trace.ts';

export const messageAnswerRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/messages/:id/answer',
      operation({
        id: 'getMessageAnswer',
        summary: 'Get the trace of the answer that a message belongs to',
        description: 'For a message of the bot, or of the contact that the bot answered.',
        tag: 'Messages',
        access: 'anyKey',
        resource: 'answer',
        data: MessageAnswer,
        extension: true,
      }),
      async (request) => {
        const row = await selectMessageAnswer(db, requireActor(request).scope, pathParameter(request));
        if (row === undefined) throw notFound('answer');
        const { trace, created_at: createdAt, ...answer } = row;
        return success({ ...answer, trace: presentTrace(trace), created_at: timestamp(createdAt) });
      },
    );
  };
