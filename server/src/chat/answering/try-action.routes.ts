import { readDraft } from '../../knowledge/bots/draft.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Actor, requireActor } from '../../platform/http/actor.ts';
import { badRequest, invalidInput, notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { selectBotTeam } from './bot-team.sql.ts';
import type { CallAction } from './call-action.ts';
import { checkArguments } from './tool-arguments.ts';
import { TriedAction, TryAction } from './try-action.schemas.ts';

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

interface TryActionDependencies {
  db: Database;
  encryption: Encryption;
  callAction: CallAction;
  clock: Clock;
}

const deadlineMs = 30_000;

/**
 * Calls an action of the draft as the bot would. Throws `bot_not_found` and `action_not_found` (404), `team_banned` and
 * `validation` (400) if the arguments do not fit the action.
 */
async function tryAction(
  { db, encryption, callAction, clock }: TryActionDependencies,
  { scope }: Actor,
  { botId, actionId }: { botId: string; actionId: string },
  { arguments: given = {} }: TryAction,
): Promise<TriedAction> {
  const draft = await readDraft({ db, encryption }, scope, botId);
  const team = await selectBotTeam(db, scope, botId, toMonth(clock.now()));
  if (draft === undefined || team === undefined) throw notFound('bot');
  const action = draft.actions.find(({ id }) => id === actionId.toLowerCase());
  if (action === undefined) throw notFound('action');
  if (team.banned)
    throw badRequest('team_banned', 'The team is banned, so its bots do not answer; lift the ban first');
  const read = checkArguments(action, given);
  if ('fault' in read) throw invalidInput([{ path: 'arguments', message: read.fault }]);
  await db.transaction().execute((tx) =>
    recordAudit(tx, {
      objectType: 'bot_action',
      objectId: action.id,
      teamId: draft.bot.team_id,
      after: { bot_id: botId, method: action.method, endpoint: action.endpoint },
    }),
  );
  const startedAt = performance.now();
  const { status, error, result } = await callAction(action, read.given, {
    teamId: draft.bot.team_id,
    idempotencyKey: newId(),
    chat: null,
    signal: AbortSignal.timeout(deadlineMs),
  });
  return { status, error, result, ms: Math.round(performance.now() - startedAt) };
}
