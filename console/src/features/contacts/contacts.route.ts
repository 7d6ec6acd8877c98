import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readFlag, readPage, readText } from '../../lib/search-params.ts';
import type { ContactsSearch } from './contacts.queries.ts';

export const contactsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/contacts',
  validateSearch: ({ page, team, q, label, blocked }: Record<string, unknown>): ContactsSearch => ({
    page: readPage(page),
    team: readText(team),
    q: readText(q),
    label: readText(label),
    blocked: readFlag(blocked),
  }),
  component: lazyPage(() => import('./contacts-page.tsx'), 'ContactsPage'),
});
