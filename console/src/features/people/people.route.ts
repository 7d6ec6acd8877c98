import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readPage } from '../../lib/search-params.ts';

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  validateSearch: ({ page }: Record<string, unknown>): { page?: number | undefined } => ({
    page: readPage(page),
  }),
  component: lazyPage(() => import('./people-page.tsx'), 'PeoplePage'),
});
