import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Nullable, timestamp } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { MessageRecord } from '../messages/messages.schemas.ts';
import { getMessageInTransaction } from '../messages/messages.ts';
import { MessageAnswer } from './ask.schemas.ts';
import { selectMessageAnswer } from './message-answer.queries.ts';
import { updateRating } from './ratings.sql.ts';
import { presentTrace } from './trace.ts';

const RateMessage = Type.Object(
  { rating: Nullable(Type.Enum(['up', 'down'], { description: 'Null: no thumb.' })) },
  { additionalProperties: false, title: 'RateMessage' },
);

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
        const { trace, team_id: _, created_at: createdAt, ...answer } = row;
        return success({ ...answer, trace: presentTrace(trace), created_at: timestamp(createdAt) });
      },
    );

    app.put(
      '/api/openapi/v1/messages/:id/rating',
      operation({
        id: 'rateMessage',
        summary: 'Rate an answer of the bot',
        description:
          'For a message of the bot. Counts for all messages of the answer. Contacts rate with reactions 👍 and 👎.',
        tag: 'Messages',
        access: 'anyKey',
        resource: 'answer',
        body: RateMessage,
        data: MessageRecord,
        extension: true,
      }),
      async (request) => {
        const [{ scope }, id] = [requireActor(request), pathParameter(request)];
        const { rating } = request.body;
        return success(
          await db.transaction().execute(async (tx) => {
            const row = await selectMessageAnswer(tx, scope, id);
            if (row === undefined) throw notFound('answer');
            await updateRating(tx, row.id, rating);
            const teamId = row.team_id;
            await recordAudit(tx, { objectType: 'answer', objectId: row.id, teamId, after: { rating } });
            return getMessageInTransaction(tx, id);
          }),
        );
      },
    );
  };
