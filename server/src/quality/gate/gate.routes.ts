import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { BotGate, PutGate } from './gate.schemas.ts';
import { deleteGate, getGate, putGate } from './gate.ts';

const base = '/api/openapi/v1/bots/:id/gate';
const ofBot = { tag: 'Quality', access: 'anyKey', resource: 'bot', extension: true } as const;

/** What a draft must pass before it is published. */
export const gateRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...ofBot,
        id: 'getGate',
        summary: 'Get the gate of a bot',
        description: 'Null without one: the bot is published without a run.',
        data: BotGate,
      }),
      async (request) => success(await getGate(db, requireActor(request), pathParameter(request))),
    );

    app.put(
      base,
      operation({
        ...ofBot,
        id: 'putGate',
        summary: 'Set what a draft must pass before it is published',
        description:
          '`POST /bots/{id}/publish` then starts a run and is refused with `gate_running` until it has ended, and with `gate_failed` if it is not passed. A passed run of the same draft, cases and gate counts for 24 hours.',
        body: PutGate,
        data: BotGate,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => putGate(tx, actor, id, request.body)));
      },
    );

    app.delete(
      base,
      operation({
        ...ofBot,
        id: 'deleteGate',
        summary: 'Remove the gate of a bot',
        description: 'Does nothing without one.',
        data: Message,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => deleteGate(tx, actor, id)));
      },
    );
  };
