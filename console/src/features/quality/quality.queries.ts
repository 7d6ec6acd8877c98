import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const casesQuery = (botId: string, page: number) =>
  queryOptions({
    queryKey: ['bots', 'cases', botId, page],
    queryFn: ({ signal }) => api.listCases({ id: botId, page, limit: 20 }, { signal }),
    placeholderData: keepPreviousData,
  });

export const caseQuery = (botId: string, caseId: string) =>
  queryOptions({
    queryKey: ['bots', 'case', botId, caseId],
    queryFn: ({ signal }) => api.getCase({ id: botId, caseId }, { signal }),
  });

export const hasEnded = ({ state }: { state: string }): boolean => state === 'finished' || state === 'failed';

/** Reads the runs again while one has not ended. */
export const runsQuery = (botId: string) =>
  queryOptions({
    queryKey: ['bots', 'runs', botId],
    queryFn: ({ signal }) => api.listRuns({ id: botId, limit: 10 }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.data.every(hasEnded) === false ? 1_000 : false),
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['bots', 'run', id],
    queryFn: ({ signal }) => api.getRun({ id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data === undefined || hasEnded(data) ? false : 1_000),
  });

const filters = {
  all: {},
  failed: { outcome: 'failed' },
  warned: { outcome: 'warned' },
  changed: { changed: true },
  worse: { worse: true },
} as const;
export type ShownResults = keyof typeof filters;
export const shownResults = Object.keys(filters) as ShownResults[];

export const resultsQuery = (runId: string, shown: ShownResults, page: number) =>
  queryOptions({
    queryKey: ['bots', 'results', runId, shown, page],
    queryFn: ({ signal }) =>
      api.listRunResults({ id: runId, page, limit: 20, ...filters[shown] }, { signal }),
    placeholderData: keepPreviousData,
  });

export const gateQuery = (botId: string) =>
  queryOptions({
    queryKey: ['bots', 'gate', botId],
    queryFn: ({ signal }) => api.getGate({ id: botId }, { signal }),
  });

export const previewQuery = (botId: string) =>
  queryOptions({
    queryKey: ['bots', 'preview', botId],
    queryFn: ({ signal }) => api.getPreview({ id: botId }, { signal }),
  });

export const healthQuery = (botId: string) =>
  queryOptions({
    queryKey: ['bots', 'health', botId],
    queryFn: ({ signal }) => api.getBotHealth({ id: botId }, { signal }),
  });
