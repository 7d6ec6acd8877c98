import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { getSession } from '../../api/session.ts';
import { whileFeedIsDead } from '../../app/live-queries.ts';

interface ContactKey {
  contact_number: string;
  team_id: string;
}

export const contactQuery = ({ contact_number: number, team_id }: ContactKey) =>
  queryOptions({
    queryKey: ['contacts', 'one', team_id, number],
    queryFn: ({ signal }) => api.getContact({ number, team_id }, { signal }),
  });

export const notesQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversations', 'notes', id],
    queryFn: ({ signal }) => api.listNotes({ id, limit: 100 }, { signal }),
    refetchInterval: whileFeedIsDead(10_000),
  });

export const savedRepliesQuery = (team: string) =>
  queryOptions({
    queryKey: ['saved-replies', team],
    queryFn: ({ signal }) => api.getSavedReplies({ id: team }, { signal }),
    staleTime: 60_000,
  });

/** Members of the team who may work in its conversations. A team has few. */
export const colleaguesQuery = (team: string) =>
  queryOptions({
    queryKey: ['people', team, 'colleagues'],
    queryFn: async ({ signal }) => {
      const { data } = await api.listTeamMembers({ id: team, limit: 100 }, { signal });
      return data.filter(({ role }) => role !== 'viewer');
    },
    staleTime: 60_000,
  });

/** The id of the signed-in person, or null for a key. */
export const ownUserId = (): string | null => getSession()?.person?.user.id ?? null;

export const splitLabels = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  ),
];
