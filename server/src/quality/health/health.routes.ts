import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { Health } from './health.schemas.ts';
import { type HealthDependencies, readHealth } from './health.ts';

export const healthRoutes =
  (deps: HealthDependencies): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/bots/:id/health',
      operation({
        id: 'getBotHealth',
        summary: 'Get duplicates, contradictions, stale and unused content of a bot',
        description:
          'Of the draft. For each pair and document it says which cases and how many recent answers depend on it, so what deleting it would change.',
        tag: 'Quality',
        access: 'anyKey',
        resource: 'bot',
        data: Health,
        extension: true,
      }),
      async (request) => success(await readHealth(deps, requireActor(request), pathParameter(request))),
    );
  };
