import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';

export const apiKeysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/api-keys',
  component: lazyPage(() => import('./api-keys-page.tsx'), 'ApiKeysPage'),
});
