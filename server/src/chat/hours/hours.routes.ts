import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { PutHours, StoredHours } from './hours.schemas.ts';
import { getHours, putHours } from './hours.ts';

const path = '/api/openapi/v1/teams/:id/hours';
const ofTeam = { tag: 'Teams', access: 'anyKey', resource: 'team', extension: true } as const;

/** When people of a team are there. */
export const hoursRoutes =
  ({ db, clock }: { db: Database; clock: Clock }): Routes =>
  (app) => {
    app.get(
      path,
      operation({
        ...ofTeam,
        id: 'getHours',
        summary: 'Get the opening hours of a team',
        description: 'Without any, the team is always open.',
        data: StoredHours,
      }),
      async (request) => success(await getHours(db, clock, requireActor(request), pathParameter(request))),
    );

    app.put(
      path,
      operation({
        ...ofTeam,
        id: 'putHours',
        summary: 'Set the opening hours of a team',
        description:
          'Without `hours`, the team is always open. Outside of them, a contact who asks for a person gets `text`. The conversation is flagged and people are notified as always.',
        body: PutHours,
        data: StoredHours,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => putHours(tx, clock, actor, id, request.body)));
      },
    );
  };
