import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { CreateRun, ListResults, ListRuns, Run, RunResult } from './runs.schemas.ts';
import { createRun, getRun, listResults, listRuns } from './runs.ts';

const ofBot = '/api/openapi/v1/bots/:id/runs';
const ofRun = '/api/openapi/v1/runs/:id';
const shared = { tag: 'Quality', access: 'anyKey', extension: true } as const;

export const runRoutes =
  ({ db, readList, idempotency }: { db: Database; readList: ReadList; idempotency: Idempotency }): Routes =>
  (app) => {
    app.post(
      ofBot,
      operation({
        ...shared,
        resource: 'bot',
        id: 'createRun',
        summary: 'Run the cases of a bot, or the newest questions of contacts',
        description:
          'Sends nothing, charges no credits and calls no action: results of actions come from earlier answers. Event `run.finished` reports the end.',
        body: CreateRun,
        data: Run,
        idempotent: true,
      }),
      async (request, reply) =>
        idempotency.inTransaction({ request, reply }, async (tx) =>
          success(await createRun(tx, requireActor(request), pathParameter(request), request.body)),
        ),
    );

    app.get(
      ofBot,
      operation({
        ...shared,
        resource: 'bot',
        id: 'listRuns',
        summary: 'List the runs of a bot, newest first',
        description: 'The newest 100 are kept.',
        query: ListRuns,
        data: Type.Array(Run),
        meta: PageMeta,
      }),
      async (request) => {
        const { runs, total } = await readList((reader) =>
          listRuns(reader, requireActor(request), pathParameter(request), request.query),
        );
        return successWithMeta(runs, pageMeta(request.query, total, runs));
      },
    );

    app.get(
      ofRun,
      operation({
        ...shared,
        resource: 'run',
        id: 'getRun',
        summary: 'Get a run with its progress and counts',
        description: 'The counts are complete when it has finished.',
        data: Run,
      }),
      async (request) => success(await getRun(db, requireActor(request), pathParameter(request))),
    );

    app.get(
      `${ofRun}/results`,
      operation({
        ...shared,
        resource: 'run',
        id: 'listRunResults',
        summary: 'List the old and new answers of a run',
        description: 'Numbers and e-mail addresses of people in questions of contacts are replaced.',
        query: ListResults,
        data: Type.Array(RunResult),
        meta: PageMeta,
      }),
      async (request) => {
        const { results, total } = await readList((reader) =>
          listResults(reader, requireActor(request), pathParameter(request), request.query),
        );
        return successWithMeta(results, pageMeta(request.query, total));
      },
    );
  };
