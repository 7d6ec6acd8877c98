import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { readChoice, readFlag, readPage, readText } from '../../lib/search-params.ts';

const teamTabs = ['overview', 'settings'] as const;
type TeamTab = (typeof teamTabs)[number];

interface TeamsSearch {
  page?: number | undefined;
  name?: string | undefined;
  paying?: boolean | undefined;
  plan?: string | undefined;
}

const teamsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/teams',
  validateSearch: ({ page, name, paying, plan }: Record<string, unknown>): TeamsSearch => ({
    page: readPage(page),
    name: readText(name),
    paying: readFlag(paying),
    plan: readText(plan),
  }),
  component: lazyRouteComponent(() => import('./teams-page.tsx'), 'TeamsPage'),
});

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/teams/$teamId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: TeamTab | undefined } => ({
    tab: readChoice(tab, teamTabs),
  }),
  component: lazyRouteComponent(() => import('./team-page.tsx'), 'TeamPage'),
});

const complianceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/teams/$teamId/compliance',
  validateSearch: ({ days }: Record<string, unknown>): { days?: number | undefined } => ({
    days: typeof days === 'number' && Number.isInteger(days) && days > 0 && days <= 366 ? days : undefined,
  }),
  component: lazyRouteComponent(() => import('./compliance-page.tsx'), 'CompliancePage'),
});

export const teamRoutes = [teamsRoute, teamRoute, complianceRoute] as const;
