import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { linkPath } from '../../app/signed-in-frame.tsx';
import { lazyPage } from '../../components/lazily.tsx';

export const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: linkPath,
  component: lazyPage(() => import('./link-page.tsx'), 'LinkPage'),
});
