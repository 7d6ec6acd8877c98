import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';

export const teamNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'name', id],
    queryFn: async ({ signal }) => (await api.getTeam({ id }, { signal })).name,
    staleTime: 5 * 60_000,
  });
