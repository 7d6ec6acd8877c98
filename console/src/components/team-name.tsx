import { useQuery } from '@tanstack/react-query';
import { teamNameQuery } from './team-name.query.ts';

/** The name of a team, once it is loaded. Lists of the API contain only ids. */
export function TeamName({ id }: { id: string }) {
  const { data } = useQuery(teamNameQuery(id));
  return data ?? '…';
}
