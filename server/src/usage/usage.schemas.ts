import { type Static, Type } from 'typebox';

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
  },
  { title: 'TeamUsage' },
);
export type TeamUsage = Static<typeof TeamUsage>;
