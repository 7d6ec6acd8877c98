import { Type } from 'typebox';
import type { Database } from '../database/database.ts';
import { actorOf } from '../http/actor.ts';
import type { Routes } from '../http/app.ts';
import type { Once } from '../http/idempotency.ts';
import { operation, success, successWithMeta } from '../http/operation.ts';
import { PageMeta, pageMeta } from '../http/pagination.ts';
import { selectTeams } from './teams.queries.ts';
import { CreatedTeam, CreateTeam, ListTeams, Team, TeamDetail } from './teams.schemas.ts';
import { createTeam, getTeam, presentTeam } from './teams.ts';

const base = '/api/openapi/v1/teams';

export const teamRoutes =
  ({ db, once }: { db: Database; once: Once }): Routes =>
  (app) => {
    app.post(
      base,
      operation({
        id: 'createTeam',
        summary: 'Create a team together with its administrator',
        tag: 'Teams',
        access: 'all',
        body: CreateTeam,
        data: CreatedTeam,
        idempotent: true,
      }),
      async (request, reply) =>
        once.inTransaction({ request, reply }, async (tx) => success(await createTeam(tx, request.body))),
    );

    app.get(
      base,
      operation({
        id: 'listTeams',
        summary: 'List teams, newest first',
        tag: 'Teams',
        access: 'any',
        query: ListTeams,
        data: Type.Array(Team),
        meta: PageMeta,
      }),
      async (request) => {
        const { teams, total } = await selectTeams(db, actorOf(request).scope, request.query);
        return successWithMeta(teams.map(presentTeam), pageMeta(request.query, total));
      },
    );

    app.get<{ Params: { id: string } }>(
      `${base}/:id`,
      operation({
        id: 'getTeam',
        summary: 'Get a team with its quotas and settings',
        tag: 'Teams',
        access: 'any',
        resource: 'team',
        data: TeamDetail,
      }),
      async (request) => success(await getTeam(db, actorOf(request), request.params.id)),
    );
  };
