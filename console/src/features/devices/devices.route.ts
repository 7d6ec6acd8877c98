import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readChoice, readPage, readText } from '../../lib/search-params.ts';
import { type DevicesSearch, deviceFilters } from './devices.queries.ts';

const devicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices',
  validateSearch: ({ page, team, bot, state }: Record<string, unknown>): DevicesSearch => ({
    page: readPage(page),
    team: readText(team),
    bot: readText(bot),
    state: readChoice(state, deviceFilters),
  }),
  component: lazyPage(() => import('./devices-page.tsx'), 'DevicesPage'),
});

const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices/$deviceId',
  component: lazyPage(() => import('./device-page.tsx'), 'DevicePage'),
});

export const deviceRoutes = [devicesRoute, deviceRoute] as const;
