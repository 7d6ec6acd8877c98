import { type Static, Type } from 'typebox';
import { lockBotOfScope } from '../../knowledge/bots/bots.sql.ts';
import { replaceTesters, selectTesters } from '../../knowledge/bots/testers.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type Actor, requireActor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { PhoneNumber, toInternationalNumber } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { selectTeamOfBot } from '../cases/cases.queries.ts';

const base = '/api/openapi/v1/bots/:id/preview';
const ofBot = { tag: 'Quality', access: 'anyKey', resource: 'bot', extension: true } as const;
const maxTesters = 20;

const SetPreview = Type.Object(
  {
    numbers: Type.Array(PhoneNumber(), {
      maxItems: maxTesters,
      description: 'All testers: others are no testers any more. Empty: nobody gets the draft.',
    }),
  },
  { additionalProperties: false, title: 'SetPreview' },
);

const Preview = Type.Object(
  { numbers: Type.Array(Type.String(), { description: 'Of the contacts who get the draft.' }) },
  { title: 'Preview' },
);

/** Who gets the draft of a bot instead of its published version. */
export const previewRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      base,
      operation({
        ...ofBot,
        id: 'getPreview',
        summary: 'Get the contacts who get the draft of a bot',
        description: 'All others get the published version.',
        data: Preview,
      }),
      async (request) => {
        const { scope } = requireActor(request);
        const id = pathParameter(request);
        if ((await selectTeamOfBot(db, scope, id)) === undefined) throw notFound('bot');
        return success({ numbers: await selectTesters(db, id) });
      },
    );

    app.post(
      base,
      operation({
        ...ofBot,
        id: 'setPreview',
        summary: 'Let contacts get the draft of a bot',
        description:
          'They get it as it is when they write, on the devices of the bot. Others get the published version. The trace of such an answer has `draft_revision`, and the numbers over weeks leave it out.',
        body: SetPreview,
        data: Preview,
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => setPreview(tx, actor, id, request.body)));
      },
    );
  };

/** Throws `bot_not_found` (404). */
async function setPreview(
  tx: Transaction,
  actor: Actor,
  botId: string,
  { numbers: given }: Static<typeof SetPreview>,
): Promise<Static<typeof Preview>> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  const numbers = [...new Set(given.map(toInternationalNumber))];
  await replaceTesters(tx, { teamId: bot.team_id, botId: bot.id }, numbers);
  // Without the numbers: no erasure reaches the audit log.
  const after = { testers: numbers.length };
  await recordAudit(tx, { objectType: 'preview', objectId: bot.id, teamId: bot.team_id, after });
  return { numbers: await selectTesters(tx, bot.id) };
}
