import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight, FileCheck } from 'lucide-react';
import { teamSettingsPages } from '../../app/navigation.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { numbersMessages } from '../numbers/numbers.messages.ts';
import { NumbersPanel } from '../numbers/numbers-panel.tsx';
import { BrandCard } from './brand-card.tsx';
import { complianceMessages } from './compliance.messages.ts';
import { HoursCard } from './hours-card.tsx';
import { teamMessages } from './team.messages.ts';
import { TeamBadges } from './team-badges.tsx';
import { TeamOverview } from './team-overview.tsx';
import { TeamSettingsForm } from './team-settings-form.tsx';
import { teamQuery } from './teams.queries.ts';

const route = getRouteApi('/settings');

/** What somebody who works in one team may see and change about the team. */
export function SettingsPage() {
  const t = useMessages(teamMessages);
  const numbers = useMessages(numbersMessages);
  const { teamId } = useActor();
  const may = useMay();
  const { tab = may('updateTeam') ? 'settings' : 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(teamQuery(teamId ?? ''));
  return (
    <Page title={t.settings} badge={query.data !== undefined && <TeamBadges team={query.data} />}>
      <Loaded query={query}>
        {(team) => (
          <Tabs
            label={t.tabs}
            value={tab}
            onChange={(chosen) => void navigate({ search: { tab: chosen }, replace: true })}
            items={[
              ...(may('updateTeam')
                ? [
                    {
                      value: 'settings' as const,
                      label: t.settings,
                      content: (
                        <div className="grid max-w-3xl grid-cols-1 gap-6">
                          <TeamSettingsForm key={team.id} team={team} />
                          {may('putHours') && <HoursCard team={team.id} />}
                          {may('putBrand') && <BrandCard team={team.id} />}
                        </div>
                      ),
                    },
                  ]
                : []),
              ...(may('getTeamAnalytics')
                ? [
                    {
                      value: 'numbers' as const,
                      label: numbers.title,
                      content: <NumbersPanel of={{ team: team.id }} name={team.name} />,
                    },
                  ]
                : []),
              { value: 'overview', label: t.overview, content: <TeamOverview team={team} /> },
            ]}
          />
        )}
      </Loaded>
      <MorePages team={teamId ?? ''} />
    </Page>
  );
}

function MorePages({ team }: { team: string }) {
  const t = useMessages(teamMessages);
  const shell = useMessages(shellMessages);
  const compliance = useMessages(complianceMessages);
  const may = useMay();
  const pages = [
    ...teamSettingsPages
      .filter(({ needs }) => may(needs))
      .map(({ to, label, icon }) => ({ to, name: shell[label] as string, icon })),
    { to: `/teams/${team}/compliance`, name: compliance.title, icon: FileCheck },
  ];
  return (
    <Card title={t.more}>
      <ul className="-mx-2 -my-1 grid">
        {pages.map(({ to, name, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex items-center gap-2.5 rounded-lg px-2 py-2 font-medium hover:bg-hover"
            >
              <Icon aria-hidden className="size-4 text-muted" />
              <span className="flex-1">{name}</span>
              <ChevronRight aria-hidden className="size-4 text-muted" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
