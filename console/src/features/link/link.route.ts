import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { linkPath } from '../../app/signed-in-frame.tsx';

export const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: linkPath,
  component: lazyRouteComponent(() => import('./link-page.tsx'), 'LinkPage'),
});
