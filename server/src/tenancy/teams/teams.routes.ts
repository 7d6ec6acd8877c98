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
import { settingsIssues } from './team-settings.ts';
import { selectTeams } from './teams.queries.ts';
import { CreatedTeam, CreateTeam, ListTeams, Team, TeamDetail, UpdateTeam } from './teams.schemas.ts';
import { createTeam, getTeam, presentTeam } from './teams.ts';
import { deploymentFields, type StopDevices, updateTeam } from './update-team.ts';

interface Dependencies {
  db: Database;
  readList: ReadList;
  idempotency: Idempotency;
  notifications: Pick<Notifications, 'publish'>;
  stopDevicesOfTeam: StopDevices;
}

const base = '/api/openapi/v1/teams';

export const teamRoutes =
  (deps: Dependencies): Routes =>
  (app) => {
    addCreateAndList(app, deps);
    addGetAndUpdate(app, deps);
  };

function addCreateAndList(app: App, { readList, idempotency }: Dependencies): void {
  app.post(
    base,
    operation({
      id: 'createTeam',
      summary: 'Create a team together with its administrator',
      description:
        'All or nothing: if a step fails, nothing is created. The administrator counts as one member. The plan supplies the quotas that the body leaves out.',
      tag: 'Teams',
      access: 'globalKey',
      body: CreateTeam,
      data: CreatedTeam,
      idempotent: true,
    }),
    async (request, reply) =>
      idempotency.inStatement({ request, reply }, async (db) => success(await createTeam(db, request.body))),
  );

  app.get(
    base,
    operation({
      id: 'listTeams',
      summary: 'List teams, newest first',
      description: 'Filters combine. A page past the end is empty.',
      tag: 'Teams',
      access: 'anyKey',
      query: ListTeams,
      data: Type.Array(Team),
      meta: PageMeta,
    }),
    async (request) => {
      const { rows, total } = await readList((db) =>
        selectTeams(db, requireActor(request).scope, request.query),
      );
      return successWithMeta(rows.map(presentTeam), pageMeta(request.query, total, rows));
    },
  );
}

function addGetAndUpdate(app: App, { db, notifications, stopDevicesOfTeam }: Dependencies): void {
  app.get(
    `${base}/:id`,
    operation({
      id: 'getTeam',
      summary: 'Get a team with its quotas and settings',
      description: 'The quotas are those of the plan, except where the team has its own.',
      tag: 'Teams',
      access: 'anyKey',
      resource: 'team',
      data: TeamDetail,
    }),
    async (request) => success(await getTeam(db, requireActor(request), pathParameter(request))),
  );

  app.patch(
    `${base}/:id`,
    operation({
      id: 'updateTeam',
      summary: 'Change a team: its name and settings, its plan and quotas, whether it pays or is banned',
      description:
        "A key of scope `team` may change only the name and the settings. Banning stops the team's devices, and its bots stop answering.",
      tag: 'Teams',
      access: 'anyKey',
      resource: 'team',
      body: UpdateTeam,
      globalMembers: deploymentFields,
      rules: ({ body }) => settingsIssues(body.settings ?? {}),
      data: TeamDetail,
      errors: [403],
      extension: true,
    }),
    async (request) => {
      const { team, stopped } = await db
        .transaction()
        .execute((tx) =>
          updateTeam(tx, requireActor(request), pathParameter(request), request.body, stopDevicesOfTeam),
        );
      for (const device of stopped) notifications.publish('device-changed', device);
      return success(team);
    },
  );
}
