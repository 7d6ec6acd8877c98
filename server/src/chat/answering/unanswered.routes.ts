import { type Static, Type } from 'typebox';
import { normalizeQuestion } from '../../knowledge/search/question-features.ts';
import type { GroupQuestions } from '../../knowledge/search/question-groups.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { Id, Timestamp, timestamp } from '../../platform/http/fields.ts';
import { operation, success } from '../../platform/http/operation.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { selectAnswerable, selectUnanswered, type UnansweredRow } from './unanswered.queries.ts';

const days = 30;
const maxAnswers = 20_000;
/** Each new question takes the encoder about 15 ms. */
const maxQuestions = 300;
const maxExamples = 5;

const Example = Type.Object(
  {
    conversation_id: Id(),
    message_id: Id({ description: 'The last message of the contact with the question.' }),
    question: Type.String({ description: 'At most 500 characters of what the contact wrote.' }),
    asked_at: Timestamp({ description: 'When the bot could not answer.' }),
  },
  { title: 'UnansweredExample' },
);

const Group = Type.Object(
  {
    question: Type.String({ description: 'The most frequent words of the question.' }),
    count: Type.Integer({ description: 'How often contacts asked.' }),
    thumbs_down: Type.Integer({ description: 'Answers with a thumb down among them.' }),
    last_asked_at: Timestamp(),
    examples: Type.Array(Example, { description: `The newest ${maxExamples}.` }),
  },
  { title: 'UnansweredGroup' },
);

const UnansweredQuestions = Type.Object(
  {
    total: Type.Integer({ description: 'The number of groups, without the limit.' }),
    complete: Type.Boolean({
      description: `False if the team has more than ${maxAnswers.toLocaleString('en')} answers of ${days} days, or the bot more than ${maxQuestions} unanswered questions: only the newest ones count.`,
    }),
    groups: Type.Array(Group, { description: 'The most frequent question first.' }),
  },
  { title: 'UnansweredQuestions' },
);

const UnansweredQuery = Type.Object(
  { limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Of the groups.' }) },
  { additionalProperties: false },
);

export const unansweredRoutes =
  ({
    db,
    clock,
    groupQuestions,
  }: {
    db: Database;
    clock: Pick<Clock, 'now'>;
    groupQuestions: GroupQuestions;
  }): Routes =>
  (app) => {
    app.get(
      '/api/openapi/v1/bots/:id/unanswered',
      operation({
        id: 'getUnansweredQuestions',
        summary: 'Group by meaning what contacts asked and the bot could not answer',
        description: `Of the last ${days} days. An answer with a thumb down counts as none. Leaves out questions outside the purpose of the bot, and groups with a question of a published pair, unless the published version got a thumb down. Without an embedding model, questions in English are compared by meaning and others by their words.`,
        tag: 'Bots',
        access: 'anyKey',
        resource: 'bot',
        query: UnansweredQuery,
        data: UnansweredQuestions,
        extension: true,
      }),
      async (request) => {
        const botId = pathParameter(request);
        const bot = await selectAnswerable(db, requireActor(request).scope, botId);
        if (bot === undefined) throw notFound('bot');
        const since = new Date(clock.now().getTime() - days * 86_400_000);
        const { rows, read } = await selectUnanswered(
          db,
          { teamId: bot.teamId, botId },
          { since, maxAnswers: maxAnswers + 1, limit: maxQuestions + 1 },
        );
        const questions = rows.slice(0, maxQuestions);
        const complete = read <= maxAnswers && rows.length <= maxQuestions;
        const indexes = await groupQuestions(questions.map(({ question }) => question));
        const solved = new Set(bot.questions.map(normalizeQuestion));
        const groups = indexes
          .map((group) => group.flatMap((index) => questions[index] ?? []))
          .filter(
            (group) =>
              group.some(({ disliked, version }) => disliked && version === bot.liveVersion) ||
              !group.some(({ question }) => solved.has(normalizeQuestion(question))),
          );
        return success({
          total: groups.length,
          complete,
          groups: groups.slice(0, request.query.limit).map(present),
        });
      },
    );
  };

/** `asked` is not empty. */
function present(asked: readonly UnansweredRow[]): Static<typeof Group> {
  const newest = asked.toSorted((a, b) => b.asked_at.getTime() - a.asked_at.getTime());
  // The first one of a group is the most frequent.
  return {
    question: asked[0]?.question ?? '',
    count: asked.length,
    thumbs_down: asked.filter(({ disliked }) => disliked).length,
    last_asked_at: timestamp(newest[0]?.asked_at ?? new Date(0)),
    examples: newest.slice(0, maxExamples).map(({ asked_at, disliked: _, version: __, ...example }) => ({
      ...example,
      asked_at: timestamp(asked_at),
    })),
  };
}
