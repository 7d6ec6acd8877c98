import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';

/** Pages of one-use links, which need no session. */
const page = (
  path: '/setup' | '/invitation' | '/enter' | '/reset',
  name: 'SetUpPage' | 'InvitationPage' | 'EnterPage' | 'ResetPage',
) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyPage(() => import('./guest-pages.tsx'), name),
  });

const oidcRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/oidc',
  component: lazyPage(() => import('./oidc-page.tsx'), 'OidcPage'),
});

export const guestRoutes = [
  page('/setup', 'SetUpPage'),
  page('/invitation', 'InvitationPage'),
  page('/enter', 'EnterPage'),
  page('/reset', 'ResetPage'),
  oidcRoute,
] as const;
