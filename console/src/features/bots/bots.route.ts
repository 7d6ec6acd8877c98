import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readChoice, readFlag, readPage, readText } from '../../lib/search-params.ts';

const botTabs = [
  'instructions',
  'questions',
  'unanswered',
  'actions',
  'documents',
  'settings',
  'versions',
] as const;
type BotTab = (typeof botTabs)[number];

interface BotsSearch {
  page?: number | undefined;
  name?: string | undefined;
  team?: string | undefined;
  published?: boolean | undefined;
  document?: string | undefined;
}

const botsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/bots',
  validateSearch: ({ page, name, team, published, document }: Record<string, unknown>): BotsSearch => ({
    page: readPage(page),
    name: readText(name),
    team: readText(team),
    published: readFlag(published),
    document: readText(document),
  }),
  component: lazyPage(() => import('./bots-page.tsx'), 'BotsPage'),
});

const botRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/bots/$botId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: BotTab | undefined } => ({
    tab: readChoice(tab, botTabs),
  }),
  component: lazyPage(() => import('./bot-page.tsx'), 'BotPage'),
});

export const botRoutes = [botsRoute, botRoute] as const;
