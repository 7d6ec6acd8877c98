import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { Compliance, ComplianceQuery } from './compliance.schemas.ts';
import { type ComplianceDependencies, readCompliance } from './compliance.ts';

export const complianceRoutes =
  (deps: ComplianceDependencies): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/teams/:id/compliance',
      operation({
        id: 'getCompliance',
        summary:
          'Get what the papers of a team need: notices, opt-outs, people, retention, erasures, recipients',
        description:
          'Erased contacts and data older than the retention are missing in the counts. `docs/compliance.md` explains what they are for.',
        tag: 'Teams',
        access: 'anyKey',
        resource: 'team',
        query: ComplianceQuery,
        data: Compliance,
        extension: true,
      }),
      async (request) =>
        success(await readCompliance(deps, requireActor(request), pathParameter(request), request.query)),
    );
  };
