import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Timestamp, timestamp } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { selectActivity } from './activity.queries.ts';

const Hour = Type.Object(
  {
    hour: Timestamp({ description: 'When the hour began.' }),
    received: Type.Integer({ description: 'Messages of contacts.' }),
    answers: Type.Integer({ description: 'Messages of bots.' }),
    others: Type.Integer({ description: 'Messages of people and of the API.' }),
  },
  { title: 'ActivityHour' },
);

const Activity = Type.Object({ hours: Type.Array(Hour) }, { title: 'Activity' });

const ActivityQuery = Type.Object(
  {
    hours: Type.Integer({ minimum: 1, maximum: 24, default: 24 }),
  },
  { additionalProperties: false },
);

export const activityRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/activity',
      operation({
        id: 'getActivity',
        summary: 'Count the messages of each of the last hours, the oldest first',
        description:
          'The last hour is the current one. A key of scope `team` counts the messages of its team.',
        tag: 'Messages',
        access: 'anyKey',
        query: ActivityQuery,
        data: Activity,
        extension: true,
      }),
      async (request) => {
        const rows = await selectActivity(db, requireActor(request).scope, request.query.hours);
        return success({
          hours: rows.map(({ hour, received, answers, others }) => ({
            hour: timestamp(hour),
            received,
            answers,
            others,
          })),
        });
      },
    );
  };
