import type { TeamDetail } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileCheck } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { numbersMessages } from '../numbers/numbers.messages.ts';
import { NumbersPanel } from '../numbers/numbers-panel.tsx';
import { AddPersonDialog } from '../people/add-person-dialog.tsx';
import { peopleMessages } from '../people/people.messages.ts';
import { PeopleList } from '../people/people-list.tsx';
import { BrandCard } from './brand-card.tsx';
import { complianceMessages } from './compliance.messages.ts';
import { HoursCard } from './hours-card.tsx';
import { teamMessages } from './team.messages.ts';
import { TeamActions } from './team-actions.tsx';
import { TeamBadges } from './team-badges.tsx';
import { TeamOverview } from './team-overview.tsx';
import { TeamSettingsForm } from './team-settings-form.tsx';
import { teamsMessages } from './teams.messages.ts';
import { teamQuery } from './teams.queries.ts';
import { ViewAs } from './view-as.tsx';

const route = getRouteApi('/teams/$teamId');

export function TeamPage() {
  const t = useMessages(teamsMessages);
  const { teamId } = route.useParams();
  const query = useQuery(teamQuery(teamId));
  const crumbs = [{ label: t.title, to: '/teams' }];
  if (query.data !== undefined) return <TeamContent team={query.data} />;
  return (
    <Page title={t.title} crumbs={crumbs}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function TeamContent({ team }: { team: TeamDetail }) {
  const list = useMessages(teamsMessages);
  const t = useMessages(teamMessages);
  const compliance = useMessages(complianceMessages);
  const people = useMessages(peopleMessages);
  const numbers = useMessages(numbersMessages);
  const may = useMay();
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title={team.name}
      crumbs={[{ label: list.title, to: '/teams' }]}
      badge={<TeamBadges team={team} />}
      actions={
        <>
          <Link to="/teams/$teamId/compliance" params={{ teamId: team.id }} className={buttonClass({})}>
            <FileCheck aria-hidden className="size-4" />
            {compliance.title}
          </Link>
          {may('createPortalLink') && <ViewAs team={team.id} />}
          {may('deleteTeam') && <TeamActions team={team} />}
        </>
      }
    >
      <Tabs
        label={t.tabs}
        value={tab}
        onChange={(chosen) => void navigate({ search: { tab: chosen }, replace: true })}
        items={[
          { value: 'overview', label: t.overview, content: <TeamOverview team={team} /> },
          {
            value: 'numbers',
            label: numbers.title,
            content: <NumbersPanel of={{ team: team.id }} name={team.name} />,
          },
          { value: 'people', label: people.title, content: <TeamPeople team={team.id} /> },
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
        ]}
      />
    </Page>
  );
}

function TeamPeople({ team }: { team: string }) {
  const t = useMessages(peopleMessages);
  const list = useListSearch({ page: route.useSearch().page });
  const mayAdd = useMay()('createTeamMember');
  const [adding, setAdding] = useState(false);
  return (
    <div className="grid gap-4">
      {mayAdd && (
        <div className="justify-self-end">
          <CreateButton label={t.add} onClick={() => setAdding(true)} />
        </div>
      )}
      <PeopleList team={team} list={list} />
      {adding && <AddPersonDialog team={team} onClose={() => setAdding(false)} />}
    </div>
  );
}
