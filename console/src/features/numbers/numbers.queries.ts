import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Whose numbers to show. */
export type NumbersOf = { bot: string } | { team: string };

export const dayCounts = ['7', '30', '90'] as const;
export type DayCount = (typeof dayCounts)[number];

const dayMs = 86_400_000;

export const numbersQuery = (of: NumbersOf, days: DayCount) =>
  queryOptions({
    queryKey: ['numbers', of, days],
    async queryFn({ signal }) {
      const by = days === '90' ? ('week' as const) : ('day' as const);
      const read = (range: { since?: string; until?: string }) =>
        'bot' in of
          ? api.getBotAnalytics({ id: of.bot, by, ...range }, { signal })
          : api.getTeamAnalytics({ id: of.team, by, ...range }, { signal });
      if (days === '30') return read({});
      // The service knows which day it is where the team lives.
      const { until } = await read({});
      const first = new Date(Date.parse(`${until}T00:00:00Z`) - (Number(days) - 1) * dayMs);
      return read({ since: first.toISOString().slice(0, 10), until });
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
