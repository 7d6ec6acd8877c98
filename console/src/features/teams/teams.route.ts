import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readChoice, readFlag, readPage, readText } from '../../lib/search-params.ts';

const teamTabs = ['overview', 'numbers', 'people', 'settings'] as const;
type TeamTab = (typeof teamTabs)[number];

interface TeamsSearch {
  page?: number | undefined;
  name?: string | undefined;
  paying?: boolean | undefined;
  plan?: string | undefined;
}

interface TeamSearch {
  tab?: TeamTab | undefined;
  /** Of the people. */
  page?: number | undefined;
}

const readTeamSearch = ({ tab, page }: Record<string, unknown>): TeamSearch => ({
  tab: readChoice(tab, teamTabs),
  page: readPage(page),
});

const teamsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/teams',
  validateSearch: ({ page, name, paying, plan }: Record<string, unknown>): TeamsSearch => ({
    page: readPage(page),
    name: readText(name),
    paying: readFlag(paying),
    plan: readText(plan),
  }),
  component: lazyPage(() => import('./teams-page.tsx'), 'TeamsPage'),
});

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/teams/$teamId',
  validateSearch: readTeamSearch,
  component: lazyPage(() => import('./team-page.tsx'), 'TeamPage'),
});

const complianceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/teams/$teamId/compliance',
  validateSearch: ({ days }: Record<string, unknown>): { days?: number | undefined } => ({
    days: typeof days === 'number' && Number.isInteger(days) && days > 0 && days <= 366 ? days : undefined,
  }),
  component: lazyPage(() => import('./compliance-page.tsx'), 'CompliancePage'),
});

/** The team of somebody who works in one team. */
const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  validateSearch: readTeamSearch,
  component: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage'),
});

export const teamRoutes = [teamsRoute, teamRoute, settingsRoute, complianceRoute] as const;
