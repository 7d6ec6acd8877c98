import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { DocumentType } from './document-types.ts';

interface DocumentFilter {
  page?: number | undefined;
  name?: string | undefined;
  team_id?: string | undefined;
  type?: DocumentType | undefined;
}

/** Refreshes while a document is being processed. */
export const documentsQuery = (filter: DocumentFilter) =>
  queryOptions({
    queryKey: ['documents', 'list', filter],
    queryFn: ({ signal }) => api.listDocuments(filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ provider_status }) => provider_status === 'processing') ? 2_000 : false,
  });

export const documentNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['documents', 'name', id],
    queryFn: async ({ signal }) => (await api.getDocument({ id }, { signal })).name,
  });
