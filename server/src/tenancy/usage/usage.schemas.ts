import { type Static, Type } from 'typebox';
import { Id } from '../../platform/http/fields.ts';

export const GetTeamUsage = Type.Object(
  {
    month: Type.Optional(
      Type.String({
        pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
        'x-pattern-means': 'must be a month, YYYY-MM',
        description: 'A UTC calendar month. Default: this one.',
        examples: ['2026-11'],
      }),
    ),
  },
  { additionalProperties: false },
);

const Sum = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const ModelUsage = () => ({
  calls: Type.Integer({ description: 'Calls of the model. Failed calls do not count.' }),
  calls_without_tokens: Type.Integer({
    description: 'Calls whose provider did not report the tokens. The sums of tokens do not contain them.',
  }),
  calls_without_cost: Type.Integer({
    description:
      'Calls whose cost is unknown, because the tokens are unknown or `MODEL_PRICES` had no price. `cost` does not contain them.',
  }),
  input_tokens: Sum('Includes `cached_tokens`.'),
  cached_tokens: Sum('The input tokens that the provider read from its cache.'),
  output_tokens: Sum('Includes `reasoning_tokens`.'),
  reasoning_tokens: Sum('The output tokens of the reasoning.'),
  cost: Type.Union([Type.Number(), Type.Null()], {
    description: 'In the currency of `MODEL_PRICES`, at the prices of the time of the call.',
  }),
});

const AiUsage = Type.Object(
  {
    ...ModelUsage(),
    by_model: Type.Array(
      Type.Object({
        provider: Type.String({ description: 'Such as `openai`.' }),
        model: Type.String({ description: 'The provider’s id of the model.' }),
        ...ModelUsage(),
      }),
    ),
  },
  {
    description:
      'Calls of language models for answers, questions over the API and rewrites in the month of `active_messages`: in total and by model. Each number is the sum of the known values. It is null if calls were made and none of their values is known, and 0 if no call was made. Answers of the embedded provider call no model.',
  },
);

const MessagePrices = Type.Array(
  Type.Object({
    category: Type.String({
      description: 'As the network names it, like `service`, `utility` or `marketing`.',
    }),
    currency: Type.Union([Type.String(), Type.Null()], {
      description: 'That of `MESSAGE_PRICES` when the messages were delivered. Null: it was empty.',
    }),
    billable: Type.Integer({ description: 'Messages that the network charges for.' }),
    not_billable: Type.Integer({ description: 'Messages that the network does not charge for.' }),
    without_price: Type.Integer({
      description:
        'Of `billable`: messages without a price in `MESSAGE_PRICES`. `amount` does not contain them.',
    }),
    amount: Type.Union([Type.Number(), Type.Null()], {
      description:
        'The sum of the known prices, at the prices of the day of the delivery. Null if none is known.',
    }),
  }),
  {
    description:
      'What networks reported about the prices of messages that they delivered in the month of `active_messages`, by category and currency. Empty if they reported nothing.',
  },
);

const QuotaUsage = () => Type.Object({ used: Type.Integer(), limit: Type.Integer() });

export const TeamUsage = Type.Object(
  {
    quotas: Type.Object({
      bots: QuotaUsage(),
      accounts: QuotaUsage(),
      characters: QuotaUsage(),
      documents: QuotaUsage(),
      members: QuotaUsage(),
      credits: QuotaUsage(),
    }),
    active_messages: Type.Object({
      month: Type.String({
        description: 'UTC calendar month, YYYY-MM. The credits are counted for the same month.',
      }),
      used: Type.Integer(),
      quota: Type.Integer(),
      limit: Type.Integer({ description: 'The quota plus the 5% margin.' }),
      remaining: Type.Integer(),
    }),
    ai: AiUsage,
    message_prices: MessagePrices,
  },
  { title: 'TeamUsage' },
);
export type TeamUsage = Static<typeof TeamUsage>;

const QuotaWarning = Type.Object(
  {
    team_id: Id(),
    team_name: Type.String(),
    quota: Type.Enum([
      'bots',
      'accounts',
      'characters',
      'documents',
      'members',
      'credits',
      'active_messages',
    ]),
    used: Type.Integer(),
    limit: Type.Integer({ description: 'For active messages, without the 5% margin.' }),
  },
  { title: 'QuotaWarning' },
);

export const QuotaWarnings = Type.Object({ warnings: Type.Array(QuotaWarning) }, { title: 'QuotaWarnings' });
