import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { ReadList } from '../../platform/database/read-list.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { App, Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { actionIssues } from './action-rules.ts';
import { selectBots } from './bots.queries.ts';
import {
  Bot,
  BotDetail,
  BotVersion,
  BotVersionDetail,
  CreateBot,
  ListBots,
  ListVersions,
  PublishBot,
  PublishedBotData,
  UpdateBot,
} from './bots.schemas.ts';
import { deleteBot, getBot, presentBot, type SelectDevicesOfBot, updateBot } from './bots.ts';
import { createBotSteps } from './create-bot.ts';
import { type CheckGate, publishBot } from './publish.ts';
import { getVersion, listVersions, restoreVersion } from './versions.ts';

const base = '/api/openapi/v1/bots';

interface BotRoutesDependencies {
  db: Database;
  readList: ReadList;
  idempotency: Idempotency;
  encryption: Encryption;
  provider: AssistantProvider;
  /** Timeout of one operation's provider calls. */
  providerDeadlineMs: number;
  selectDevicesOfBot: SelectDevicesOfBot;
  checkGate?: CheckGate;
}

export const botRoutes =
  (deps: BotRoutesDependencies): Routes =>
  (app) => {
    createAndList(app, deps);
    getAndChange(app, deps);
    publishAndDelete(app, deps);
    versions(app, deps);
  };

function createAndList(app: App, deps: BotRoutesDependencies): void {
  app.post(
    base,
    operation({
      id: 'createBot',
      summary: 'Create a bot, with its assistant and knowledge store at the AI provider',
      description:
        'Defaults: booleans false, `temperature` 0.7, `chat_model_level` 1, `role` assistant, texts and lists empty.',
      tag: 'Bots',
      access: 'anyKey',
      body: CreateBot,
      rules: ({ body }) => actionIssues(body.actions, []),
      data: Bot,
      extension: true,
      idempotent: true,
    }),
    async (request, reply) =>
      deps.idempotency.inSteps({ request, reply }, createBotSteps(deps, requireActor(request), request.body)),
  );

  app.get(
    base,
    operation({
      id: 'listBots',
      summary: 'List bots, newest first',
      description: 'Filters combine. A page past the end is empty.',
      tag: 'Bots',
      access: 'anyKey',
      query: ListBots,
      data: Type.Array(Bot),
      meta: PageMeta,
      extension: true,
    }),
    async (request) => {
      const { rows, total } = await deps.readList((db) =>
        selectBots(db, requireActor(request).scope, request.query),
      );
      return successWithMeta(rows.map(presentBot), pageMeta(request.query, total, rows));
    },
  );
}

function getAndChange(app: App, deps: BotRoutesDependencies): void {
  app.get(
    `${base}/:id`,
    operation({
      id: 'getBot',
      summary: 'Get a bot with its questions, actions and documents',
      description: 'Returns the draft: the fields as the last update left them, published or not.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      data: BotDetail,
    }),
    async (request) => success(await getBot(deps, requireActor(request), pathParameter(request))),
  );

  app.patch(
    `${base}/:id`,
    operation({
      id: 'updateBot',
      summary: 'Update a bot, which becomes unpublished',
      description:
        'A list replaces the whole stored list. Changes reach the provider and the devices when the bot is published.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      body: UpdateBot,
      rules: ({ body }) => actionIssues(body.actions),
      data: Bot,
    }),
    async (request) =>
      success(await updateBot(deps, requireActor(request), pathParameter(request), request.body)),
  );
}

function publishAndDelete(app: App, deps: BotRoutesDependencies): void {
  app.post(
    `${base}/:id/publish`,
    operation({
      id: 'publishBot',
      summary: 'Publish a bot to the AI provider and its devices',
      description:
        'Creates a version from the draft and returns when every process uses it. If it fails, the earlier version continues to answer. Publishing an unchanged draft again has no effect. With a gate, `gate_running` and `gate_failed` name its run.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      body: PublishBot,
      data: PublishedBotData,
      errors: [400],
    }),
    async (request) =>
      success(await publishBot(deps, requireActor(request), pathParameter(request), request.body)),
  );

  app.delete(
    `${base}/:id`,
    operation({
      id: 'deleteBot',
      summary: 'Delete a bot that no device is linked to',
      description:
        'Deletes the bot at the AI provider too, but not its documents. While a device uses the bot, the response is 400 `bot_linked`.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      data: Message,
      errors: [400],
    }),
    async (request) => success(await deleteBot(deps, requireActor(request), pathParameter(request))),
  );
}

function versions(app: App, deps: BotRoutesDependencies): void {
  app.get(
    `${base}/:id/versions`,
    operation({
      id: 'listBotVersions',
      summary: 'List the published versions of a bot, newest first',
      description: 'A version never changes. `live` marks the version that answers.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      query: ListVersions,
      data: Type.Array(BotVersion),
      meta: PageMeta,
      extension: true,
    }),
    async (request) => {
      const found = await listVersions(deps.db, requireActor(request), pathParameter(request), request.query);
      return successWithMeta(found.versions, pageMeta(request.query, found.total));
    },
  );

  app.get(
    `${base}/:id/versions/:version`,
    operation({
      id: 'getBotVersion',
      summary: 'Get a published version of a bot with its questions and actions',
      description: 'A version never changes, except that it loses documents that are deleted.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      data: BotVersionDetail,
      extension: true,
    }),
    async (request) =>
      success(
        await getVersion(
          deps,
          requireActor(request),
          pathParameter(request),
          pathParameter(request, 'version'),
        ),
      ),
  );

  app.post(
    `${base}/:id/versions/:version/restore`,
    operation({
      id: 'restoreBotVersion',
      summary: 'Copy a published version into the draft; the bot becomes unpublished',
      description: 'Devices continue to use the live version until the bot is published.',
      tag: 'Bots',
      access: 'anyKey',
      resource: 'bot',
      data: Bot,
      extension: true,
    }),
    async (request) =>
      success(
        await restoreVersion(
          deps,
          requireActor(request),
          pathParameter(request),
          pathParameter(request, 'version'),
        ),
      ),
  );
}
