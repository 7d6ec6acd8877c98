import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { AskBot, BotAnswer } from './ask.schemas.ts';
import { type AskDependencies, askBot } from './ask.ts';

export const askRoutes =
  (deps: AskDependencies): Routes =>
  (app) => {
    app.post(
      '/api/openapi/v1/bots/:id/ask',
      operation({
        id: 'askBot',
        summary: 'Ask a bot one question, without a device',
        description:
          'Answers as the bot would on a device, actions included, and returns the trace of the answer. Costs the credits of an answer.',
        tag: 'Bots',
        access: 'anyKey',
        resource: 'bot',
        body: AskBot,
        data: BotAnswer,
        extension: true,
      }),
      async (request) =>
        success(await askBot(deps, requireActor(request), pathParameter(request), request.body)),
    );
  };
