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
  'quality',
  'numbers',
  'versions',
] as const;
type BotTab = (typeof botTabs)[number];

interface BotSearch {
  tab?: BotTab | undefined;
  /** What the tab for quality shows. */
  case?: string | undefined;
  run?: string | undefined;
}

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
  validateSearch: ({ tab, case: shownCase, run }: Record<string, unknown>): BotSearch => ({
    tab: readChoice(tab, botTabs),
    case: readText(shownCase),
    run: readText(run),
  }),
  component: lazyPage(() => import('./bot-page.tsx'), 'BotPage'),
});

export const botRoutes = [botsRoute, botRoute] as const;
