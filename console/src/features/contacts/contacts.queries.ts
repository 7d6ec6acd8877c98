import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export interface ContactsSearch {
  page?: number | undefined;
  team?: string | undefined;
  q?: string | undefined;
  label?: string | undefined;
  blocked?: boolean | undefined;
}

export const contactsQuery = ({ team, q, ...search }: ContactsSearch) =>
  queryOptions({
    queryKey: ['contacts', 'list', { team, q, ...search }],
    queryFn: ({ signal }) =>
      api.listContacts(
        {
          ...search,
          team_id: team,
          q: q?.trim().slice(0, 100) || undefined,
          label: search.label?.slice(0, 40),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
