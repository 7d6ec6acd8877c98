import { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { isPortal, portalPath } from '../api/session.ts';
import { accountRoute } from '../features/account/account.route.ts';
import { apiKeysRoute } from '../features/api-keys/api-keys.route.ts';
import { auditLogRoute } from '../features/audit-log/audit-log.route.ts';
import { botRoutes } from '../features/bots/bots.route.ts';
import { contactsRoute } from '../features/contacts/contacts.route.ts';
import { conversationRoutes } from '../features/conversations/conversations.route.ts';
import { deviceRoutes } from '../features/devices/devices.route.ts';
import { documentsRoute } from '../features/documents/documents.route.ts';
import { homeRoute } from '../features/home/home.route.ts';
import { linkRoute } from '../features/link/link.route.ts';
import { peopleRoute } from '../features/people/people.route.ts';
import { plansRoute } from '../features/plans/plans.route.ts';
import { poolsRoute } from '../features/pools/pools.route.ts';
import { guestRoutes } from '../features/sign-in/guest.route.ts';
import { simulatedPhoneRoute } from '../features/simulated-phone/simulated-phone.route.ts';
import { teamRoutes } from '../features/teams/teams.route.ts';
import { webhookRoutes } from '../features/webhooks/webhooks.route.ts';
import { rootRoute } from './root-route.tsx';

export const queryClient = new QueryClient({
  // The client of the API already retries what may be retried.
  defaultOptions: { queries: { retry: false, staleTime: 5_000 }, mutations: { retry: false } },
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    ...teamRoutes,
    conversationRoutes,
    contactsRoute,
    ...botRoutes,
    ...deviceRoutes,
    documentsRoute,
    apiKeysRoute,
    ...webhookRoutes,
    auditLogRoute,
    peopleRoute,
    plansRoute,
    poolsRoute,
    simulatedPhoneRoute,
    linkRoute,
    ...guestRoutes,
    accountRoute,
  ]),
  basepath: isPortal ? portalPath : '/console',
  context: { queryClient },
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
