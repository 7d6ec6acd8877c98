import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readText } from '../../lib/search-params.ts';

export const simulatedPhoneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/phone',
  validateSearch: (search: Record<string, unknown>): { device?: string | undefined } => ({
    device: readText(search['device']),
  }),
  component: lazyPage(() => import('./simulated-phone-page.tsx'), 'SimulatedPhonePage'),
});
