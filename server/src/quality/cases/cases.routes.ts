import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { importCases, proposeCases } from './add-cases.ts';
import {
  Case,
  CreateCase,
  ImportCases,
  ImportedCases,
  ListCases,
  ProposedCases,
  UpdateCase,
} from './cases.schemas.ts';
import { createCase, deleteCase, getCase, listCases, updateCase } from './cases.ts';

const base = '/api/openapi/v1/bots/:id/cases';
const ofBot = { tag: 'Quality', access: 'anyKey', resource: 'bot', extension: true } as const;

/** What must hold for the answers of a bot. */
export const caseRoutes =
  ({ db, readList, idempotency }: { db: Database; readList: ReadList; idempotency: Idempotency }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...ofBot,
        id: 'listCases',
        summary: 'List the cases of a bot, newest first',
        description: 'A case is a conversation and what must hold for the reply of the bot.',
        query: ListCases,
        data: Type.Array(Case),
        meta: PageMeta,
      }),
      async (request) => {
        const { cases, total } = await readList((reader) =>
          listCases(reader, requireActor(request), pathParameter(request), request.query),
        );
        return successWithMeta(cases, pageMeta(request.query, total, cases));
      },
    );

    app.post(
      base,
      operation({
        ...ofBot,
        id: 'createCase',
        summary: 'Add a case to a bot',
        description:
          'From messages, or from a message of a conversation. Numbers and e-mail addresses of people in it are replaced.',
        body: CreateCase,
        data: Case,
        idempotent: true,
      }),
      async (request, reply) =>
        idempotency.inTransaction({ request, reply }, async (tx) =>
          success(await createCase(tx, requireActor(request), pathParameter(request), request.body)),
        ),
    );

    app.post(
      `${base}/import`,
      operation({
        ...ofBot,
        id: 'importCases',
        summary: 'Import cases of a bot from a CSV',
        description:
          'Each row that can be imported is imported. A row with the name of a case of an earlier CSV replaces that case; without `name`, the question is the name.',
        body: ImportCases,
        data: ImportedCases,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => importCases(tx, actor, id, request.body)));
      },
    );

    app.post(
      `${base}/propose`,
      operation({
        ...ofBot,
        id: 'proposeCases',
        summary: 'Add a case for each pair, action and heading of the draft of a bot',
        description:
          'Only those whose name no case has yet. Cases of actions and headings are not enabled: complete their questions first.',
        data: ProposedCases,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => proposeCases(tx, actor, id)));
      },
    );

    app.get(
      `${base}/:caseId`,
      operation({
        ...ofBot,
        id: 'getCase',
        summary: 'Get a case of a bot',
        description: 'With its messages and checks.',
        data: Case,
      }),
      async (request) => {
        const ids = { botId: pathParameter(request), caseId: pathParameter(request, 'caseId') };
        return success(await getCase(db, requireActor(request), ids));
      },
    );

    app.patch(
      `${base}/:caseId`,
      operation({
        ...ofBot,
        id: 'updateCase',
        summary: 'Change a case of a bot',
        description: 'Omitted members stay as they are.',
        body: UpdateCase,
        data: Case,
      }),
      async (request) => {
        const ids = { botId: pathParameter(request), caseId: pathParameter(request, 'caseId') };
        const actor = requireActor(request);
        return success(await db.transaction().execute((tx) => updateCase(tx, actor, ids, request.body)));
      },
    );

    app.delete(
      `${base}/:caseId`,
      operation({
        ...ofBot,
        id: 'deleteCase',
        summary: 'Delete a case of a bot',
        description: 'The results of earlier runs stay.',
        data: Message,
      }),
      async (request) => {
        const ids = { botId: pathParameter(request), caseId: pathParameter(request, 'caseId') };
        const actor = requireActor(request);
        return success(await db.transaction().execute((tx) => deleteCase(tx, actor, ids)));
      },
    );
  };
