import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Deployments have few plans, so one page contains all of them. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => api.listPlans({ limit: 100 }, { signal }),
});
