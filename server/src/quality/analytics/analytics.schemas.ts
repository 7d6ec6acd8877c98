import { type Static, Type } from 'typebox';
import { Nullable, Timestamp } from '../../platform/http/fields.ts';

const steps = ['day', 'week', 'month'] as const;
export const longestDays = 1100;

const Day = (description: string) =>
  Type.String({
    maxLength: 10,
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    'x-pattern-means': 'must be a date like 2026-12-24',
    description,
  });

export const AnalyticsQuery = Type.Object(
  {
    since: Type.Optional(
      Day('The first day, in the time zone of the team. 29 days before `until` if absent.'),
    ),
    until: Type.Optional(Day('The last day. Today if absent.')),
    by: Type.Optional(
      Type.Unsafe<(typeof steps)[number]>({
        type: 'string',
        enum: [...steps],
        description: 'The length of a period: `day` if absent. Weeks begin on Monday.',
      }),
    ),
  },
  { additionalProperties: false, title: 'AnalyticsQuery' },
);
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

const outcomes = {
  questions: Type.Integer({
    description: 'Questions that the bot replied to. Messages that arrive together are one question.',
  }),
  answered: Type.Integer({ description: 'The bot knew an answer.' }),
  asked_back: Type.Integer({ description: 'The bot asked the contact to say more.' }),
  declined: Type.Integer({ description: 'The bot said that it does not know.' }),
  handed_over: Type.Integer({ description: 'The bot handed over to a person.' }),
};

const numbers = {
  ...outcomes,
  resolved_alone: Type.Integer({
    description:
      'Answered, and within 24 hours no person wrote and the contact did not ask about the same again. It is counted 24 hours later: see `resolved_until`.',
  }),
  thumbs_up: Type.Integer({ description: 'Of contacts and of people of the team.' }),
  thumbs_down: Type.Integer(),
  response_ms: Nullable(
    Type.Integer({
      description: 'The mean time from the first message of a question to the reply. Null without questions.',
    }),
  ),
  credits: Type.Integer(),
  cost: Nullable(
    Type.Number({
      description: 'Of the models, in the currency of `MODEL_PRICES`. Null if a price is unknown.',
    }),
  ),
};

const AnalyticsNumbers = Type.Object(numbers, { title: 'AnalyticsNumbers' });
export type AnalyticsNumbers = Static<typeof AnalyticsNumbers>;

const AnalyticsPeriod = Type.Object(
  { start: Type.String({ description: 'The first day of the period.' }), ...numbers },
  { title: 'AnalyticsPeriod' },
);

const AnalyticsTopic = Type.Object(
  {
    name: Type.String({
      description: 'The pair, the heading, the document or the action that the answers are from.',
    }),
    ...outcomes,
  },
  { title: 'AnalyticsTopic' },
);

const AnalyticsLanguage = Type.Object(
  { language: Type.String({ description: 'Such as `en`.' }), ...outcomes },
  { title: 'AnalyticsLanguage' },
);

export const Analytics = Type.Object(
  {
    since: Type.String({ description: 'A day like 2026-12-24.' }),
    until: Type.String(),
    by: Type.Unsafe<(typeof steps)[number]>({ type: 'string', enum: [...steps] }),
    timezone: Type.String({ description: 'Of the team. Its days begin at midnight there.' }),
    resolved_until: Nullable(
      Timestamp({ description: 'Of later answers it is not known yet whether they were resolved alone.' }),
    ),
    sum: AnalyticsNumbers,
    periods: Type.Array(AnalyticsPeriod, { description: 'Oldest first, also those without questions.' }),
    topics: Type.Array(AnalyticsTopic, { description: 'The 20 with most questions.' }),
    languages: Type.Array(AnalyticsLanguage, { description: 'The 20 with most questions.' }),
  },
  { title: 'Analytics' },
);
export type Analytics = Static<typeof Analytics>;
