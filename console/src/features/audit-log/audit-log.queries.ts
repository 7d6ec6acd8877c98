import type { ListAuditLogInput } from '@parley/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const auditLogQuery = (filter: ListAuditLogInput) =>
  queryOptions({
    queryKey: ['audit-log', filter],
    queryFn: ({ signal }) => api.listAuditLog(filter, { signal }),
    placeholderData: keepPreviousData,
  });
