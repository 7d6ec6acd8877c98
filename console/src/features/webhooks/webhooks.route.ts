import type { WebhookDelivery } from '@parley/sdk';
import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
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
  component: lazyPage(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
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
  component: lazyPage(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const webhookRoutes = [webhooksRoute, webhookRoute] as const;
