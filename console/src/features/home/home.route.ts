import { createRoute, redirect } from '@tanstack/react-router';
import { getSession } from '../../api/session.ts';
import { firstPage } from '../../app/navigation.ts';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad() {
    const to = firstPage(getSession());
    if (to !== '/') throw redirect({ to, replace: true });
  },
  component: lazyPage(() => import('./home-page.tsx'), 'HomePage'),
});
