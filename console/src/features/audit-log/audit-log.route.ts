import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readDay, readPage, readText } from '../../lib/search-params.ts';

interface AuditLogSearch {
  page?: number | undefined;
  team?: string | undefined;
  operation?: string | undefined;
  object?: string | undefined;
  key?: string | undefined;
  /** The first and the last day, in the time zone of the browser. */
  from?: string | undefined;
  to?: string | undefined;
}

export const auditLogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit-log',
  validateSearch: (search: Record<string, unknown>): AuditLogSearch => ({
    page: readPage(search['page']),
    team: readText(search['team']),
    operation: readText(search['operation']),
    object: readText(search['object']),
    key: readText(search['key']),
    from: readDay(search['from']),
    to: readDay(search['to']),
  }),
  component: lazyPage(() => import('./audit-log-page.tsx'), 'AuditLogPage'),
});
