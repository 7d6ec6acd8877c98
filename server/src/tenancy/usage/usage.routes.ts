import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { createSharedRead } from '../../platform/shared/shared-read.ts';
import { selectMessagePrices, selectModelUsage, selectQuotaWarnings, selectUsage } from './usage.queries.ts';
import { GetTeamUsage, QuotaWarnings, TeamUsage } from './usage.schemas.ts';
import { presentUsage } from './usage.ts';

const warningsMaxAgeMs = 5_000;

export const usageRoutes =
  ({ db, clock }: { db: Database; clock: Pick<Clock, 'now'> }): Routes =>
  (app) => {
    // The console asks every 10 seconds for each open page, and the answer reads all teams.
    const readWarningsOfAll = createSharedRead(
      () => selectQuotaWarnings(db, { kind: 'all' }, toMonth(clock.now())),
      { maxAgeMs: warningsMaxAgeMs },
    );

    app.get(
      '/api/openapi/v1/teams/:id/usage',
      operation({
        id: 'getTeamUsage',
        summary:
          "Get a team's use of its quotas, and its active messages, AI usage and message prices of a month",
        description:
          'Months are calendar months in UTC. Credits are those of the month, the other quotas are as they are now. The limit of the active messages includes the margin of 5%.',
        tag: 'Teams',
        access: 'anyKey',
        resource: 'team',
        query: GetTeamUsage,
        data: TeamUsage,
        extension: true,
      }),
      async (request) => {
        const { month: asked } = request.query;
        const month = asked === undefined ? toMonth(clock.now()) : `${asked}-01`;
        const teamId = pathParameter(request);
        const row = await selectUsage(db, requireActor(request).scope, teamId, month);
        if (row === undefined) throw notFound('team');
        const [ai, messagePrices] = await Promise.all([
          selectModelUsage(db, teamId, month),
          selectMessagePrices(db, teamId, month),
        ]);
        return success(presentUsage(row, { ai, messagePrices }, month));
      },
    );

    app.get(
      '/api/openapi/v1/quota-warnings',
      operation({
        id: 'getQuotaWarnings',
        summary: 'Get the quotas that teams have used to 80% or more, the fullest first',
        description:
          'At most 50 quotas. Monthly ones are those of the current UTC calendar month. For a key of scope `global`, they may be 5 seconds old.',
        tag: 'Teams',
        access: 'anyKey',
        data: QuotaWarnings,
        extension: true,
      }),
      async (request) => {
        const { scope } = requireActor(request);
        const rows =
          scope.kind === 'all'
            ? await readWarningsOfAll()
            : await selectQuotaWarnings(db, scope, toMonth(clock.now()));
        const warnings = rows.map(({ team_id, team_name, quota, used, limit }) => ({
          team_id,
          team_name,
          quota,
          used,
          limit,
        }));
        return success({ warnings });
      },
    );
  };
