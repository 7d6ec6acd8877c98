import { type Static, Type } from 'typebox';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type Actor, requireActor } from '../../platform/http/actor.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import { isJobQueued } from '../../platform/jobs/enqueue.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { runKey, startRun } from './answer-waiting.jobs.ts';
import { countWaiting, selectWaitingBot, type WaitingBot } from './waiting.queries.ts';

const Waiting = Type.Object(
  {
    waiting: Type.Integer({
      description:
        'Conversations with messages that the bot did not answer because it was not published, had no credits, or failed.',
    }),
    answering: Type.Integer({ description: 'Conversations whose answer is due or in progress.' }),
    running: Type.Boolean({ description: 'Whether the bot goes through those that wait.' }),
  },
  { title: 'WaitingConversations' },
);

const path = '/api/openapi/v1/bots/:id/waiting';
const ofBot = { tag: 'Bots', access: 'anyKey', resource: 'bot', data: Waiting, extension: true } as const;

/** Messages that a bot left without an answer, in all of its conversations. */
export const waitingRoutes =
  ({ db }: { db: Database }): Routes =>
  (app) => {
    app.get(
      path,
      operation({
        ...ofBot,
        id: 'getWaiting',
        summary: 'Count the conversations that wait for an answer of a bot',
        description: '`POST` lets the bot answer them. Its progress shows here.',
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        const { teamId } = await getBot(db, actor, id);
        return success(await readWaiting(db, teamId, id));
      },
    );

    app.post(
      path,
      operation({
        ...ofBot,
        id: 'answerWaiting',
        summary: 'Let a bot answer all conversations that wait',
        description:
          'As `POST /conversations/{id}/answer` for each of them, at the pace of other answers. Each answer is charged as always. A second call continues the same work.',
      }),
      async (request) => {
        const [actor, id] = [requireActor(request), pathParameter(request)];
        return success(await db.transaction().execute((tx) => answerWaiting(tx, actor, id)));
      },
    );
  };

async function answerWaiting(tx: Transaction, actor: Actor, botId: string): Promise<Static<typeof Waiting>> {
  const { teamId, banned, isPublished } = await getBot(tx, actor, botId);
  if (banned) throw badRequest('team_banned', 'The team is banned; lift the ban first');
  if (!isPublished) throw badRequest('bot_not_published', 'The bot was never published; publish it first');
  const { waiting } = await countWaiting(tx, { teamId, botId });
  if (waiting > 0) {
    await startRun(tx, { teamId, botId });
    const after = { answers_waiting: waiting };
    await recordAudit(tx, { objectType: 'bot', objectId: botId, teamId, after });
  }
  return readWaiting(tx, teamId, botId);
}

async function readWaiting(
  db: Database | Transaction,
  teamId: string,
  botId: string,
): Promise<Static<typeof Waiting>> {
  const { waiting, due } = await countWaiting(db, { teamId, botId });
  return { waiting, answering: due, running: await isJobQueued(db, runKey(botId)) };
}

async function getBot(db: Database | Transaction, { scope }: Actor, id: string): Promise<WaitingBot> {
  const bot = await selectWaitingBot(db, scope, id);
  if (bot === undefined) throw notFound('bot');
  return bot;
}
