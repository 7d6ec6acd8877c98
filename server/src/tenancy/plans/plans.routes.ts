import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { selectPlans } from './plans.queries.ts';
import { ListPlans, Plan, PutPlan } from './plans.schemas.ts';
import { deletePlan, planNameIssues, presentPlan, putPlan } from './plans.ts';

const base = '/api/openapi/v1/plans';
const shared = { tag: 'Plans', extension: true } as const;

export const planRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...shared,
        id: 'listPlans',
        summary: 'List plans, newest first',
        description: 'A new deployment has the plans `free`, `starter`, `pro` and `enterprise`.',
        access: 'globalKey',
        query: ListPlans,
        data: Type.Array(Plan),
        meta: PageMeta,
      }),
      async (request) => {
        const { rows, total } = await selectPlans(db, request.query);
        return successWithMeta(rows.map(presentPlan), pageMeta(request.query, total));
      },
    );

    app.put(
      `${base}/:name`,
      operation({
        ...shared,
        id: 'putPlan',
        summary: 'Create a plan or change its terms',
        description: 'Quotas apply at once to the teams on the plan, except for quotas of their own.',
        access: 'globalKey',
        creates: true,
        body: PutPlan,
        rules: ({ path }) => planNameIssues(path['name'] ?? ''),
        data: Plan,
      }),
      async (request) => {
        const name = pathParameter(request, 'name');
        const plan = await db.transaction().execute((tx) => putPlan(tx, name, request.body));
        return success(plan);
      },
    );

    app.delete(
      `${base}/:name`,
      operation({
        ...shared,
        id: 'deletePlan',
        summary: 'Delete a plan that no team is on',
        description: 'While a team is on the plan, the response is 400 `plan_in_use`.',
        access: 'globalKey',
        data: Message,
      }),
      async (request) => {
        const name = pathParameter(request, 'name');
        await db.transaction().execute((tx) => deletePlan(tx, name));
        return success({ message: 'Plan deleted' });
      },
    );
  };
