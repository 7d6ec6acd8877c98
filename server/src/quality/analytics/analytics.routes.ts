import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { Analytics, AnalyticsQuery } from './analytics.schemas.ts';
import { readBotAnalytics, readTeamAnalytics } from './analytics.ts';

const shared = {
  description:
    'Counters without data of contacts. They stay when the data of contacts is deleted. Topics are named by pairs and headings, never by what contacts wrote.',
  tag: 'Quality',
  access: 'anyKey',
  extension: true,
  query: AnalyticsQuery,
  data: Analytics,
} as const;

export const analyticsRoutes =
  (deps: { db: Database; clock: Pick<Clock, 'now'> }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/bots/:id/analytics',
      operation({
        ...shared,
        resource: 'bot',
        id: 'getBotAnalytics',
        summary: 'Get how a bot answered, by day, week or month',
      }),
      async (request) =>
        success(await readBotAnalytics(deps, requireActor(request), pathParameter(request), request.query)),
    );

    app.get(
      '/api/openapi/v1/teams/:id/analytics',
      operation({
        ...shared,
        resource: 'team',
        id: 'getTeamAnalytics',
        summary: 'Get how the bots of a team answered, by day, week or month',
      }),
      async (request) =>
        success(await readTeamAnalytics(deps, requireActor(request), pathParameter(request), request.query)),
    );
  };
