import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

interface BotFilter {
  page?: number | undefined;
  name?: string | undefined;
  team_id?: string | undefined;
  published?: boolean | undefined;
  document_id?: string | undefined;
}

export const botsQuery = (filter: BotFilter) =>
  queryOptions({
    queryKey: ['bots', 'list', filter],
    queryFn: ({ signal }) => api.listBots(filter, { signal }),
    placeholderData: keepPreviousData,
  });

export const botQuery = (id: string) =>
  queryOptions({
    queryKey: ['bots', 'one', id],
    queryFn: ({ signal }) => api.getBot({ id }, { signal }),
    // The editor keeps its own draft. A refetch must not replace what the user is typing.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const botVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['bots', 'version', id, version],
    queryFn: ({ signal }) => api.getBotVersion({ id, version: String(version) }, { signal }),
    // A version never changes. Only its documents can be deleted.
    staleTime: 60_000,
  });

export const botVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['bots', 'versions', id],
    queryFn: ({ signal }) => api.listBotVersions({ id, limit: 20 }, { signal }),
  });

export const unansweredQuery = (id: string) =>
  queryOptions({
    queryKey: ['bots', 'unanswered', id],
    queryFn: ({ signal }) => api.getUnansweredQuestions({ id, limit: 50 }, { signal }),
    staleTime: 10_000,
  });
