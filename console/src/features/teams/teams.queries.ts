import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const teamsQuery = (filter: {
  page?: number | undefined;
  name?: string | undefined;
  paying?: boolean | undefined;
  plan_name?: string | undefined;
}) =>
  queryOptions({
    queryKey: ['teams', 'list', filter],
    queryFn: ({ signal }) => api.listTeams(filter, { signal }),
    placeholderData: keepPreviousData,
  });

/** The newest teams on a plan, with the number of all. */
export const teamsOnPlanQuery = (plan: string) =>
  queryOptions({
    queryKey: ['teams', 'plan', plan],
    queryFn: ({ signal }) => api.listTeams({ plan_name: plan, limit: 5 }, { signal }),
  });

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'one', id],
    queryFn: ({ signal }) => api.getTeam({ id }, { signal }),
  });

export const complianceQuery = (id: string, days: number) =>
  queryOptions({
    queryKey: ['teams', 'compliance', id, days],
    queryFn: ({ signal }) => api.getCompliance({ id, days }, { signal }),
  });

export const teamUsageQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'usage', id],
    queryFn: ({ signal }) => api.getTeamUsage({ id }, { signal }),
    refetchInterval: 15_000,
  });

/** The month before `month`, like `2026-11`. It changes no more. */
export const earlierUsageQuery = (id: string, month: string) => {
  const earlier = new Date(`${month}-01`);
  earlier.setUTCMonth(earlier.getUTCMonth() - 1);
  const name = earlier.toISOString().slice(0, 7);
  return queryOptions({
    queryKey: ['teams', 'usage', id, name],
    queryFn: ({ signal }) => api.getTeamUsage({ id, month: name }, { signal }),
    staleTime: 600_000,
  });
};
