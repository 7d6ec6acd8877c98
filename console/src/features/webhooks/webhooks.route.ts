import type { WebhookDelivery } from '@parley/sdk';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { readChoice, readPage, readText } from '../../lib/search-params.ts';
import { deliveryStates } from './webhooks.queries.ts';

const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  validateSearch: ({
    page,
    team,
  }: Record<string, unknown>): { page?: number | undefined; team?: string | undefined } => ({
    page: readPage(page),
    team: readText(team),
  }),
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$webhookId',
  validateSearch: ({
    page,
    state,
  }: Record<string, unknown>): {
    page?: number | undefined;
    state?: WebhookDelivery['status'] | undefined;
  } => ({ page: readPage(page), state: readChoice(state, deliveryStates) }),
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const webhookRoutes = [webhooksRoute, webhookRoute] as const;
