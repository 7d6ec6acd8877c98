import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { TriedAction, TryAction } from './try-action.schemas.ts';
import { type TryActionDependencies, tryAction } from './try-action.ts';

export const tryActionRoutes =
  (deps: TryActionDependencies): Routes =>
  (app) => {
    app.post(
      '/api/openapi/v1/bots/:id/actions/:actionId/try',
      operation({
        id: 'tryBotAction',
        summary: "Call an action of a bot's draft and report its result",
        description: 'Calls the endpoint as the bot would, with all effects. Costs no credits.',
        tag: 'Bots',
        access: 'anyKey',
        resource: 'bot',
        body: TryAction,
        data: TriedAction,
        extension: true,
      }),
      async (request) => {
        const ids = { botId: pathParameter(request), actionId: pathParameter(request, 'actionId') };
        return success(await tryAction(deps, requireActor(request), ids, request.body));
      },
    );
  };
