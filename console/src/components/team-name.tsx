import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { teamNameQuery } from './team-name.query.ts';

/** The name of a team, once it is loaded. Lists of the API contain only ids. */
export function TeamName({ id }: { id: string }) {
  const { data } = useQuery(teamNameQuery(id));
  return data ?? '…';
}

/** For a column of a list. */
export const TeamLink = ({ id }: { id: string }) => (
  <Link
    to="/teams/$teamId"
    params={{ teamId: id }}
    className="block max-w-44 truncate underline-offset-4 hover:underline"
  >
    <TeamName id={id} />
  </Link>
);
