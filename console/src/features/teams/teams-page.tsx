import type { Team } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import type { Column } from '../../components/columns.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterChip } from '../../components/filter-chip.tsx';
import { lazyDialog } from '../../components/lazily.tsx';
import { FlagFilter, ListToolbar } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Button } from '../../components/ui/button.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { CreateTeamDialog } from './create-team-dialog.tsx';
import { TeamBadges } from './team-badges.tsx';
import { teamsMessages } from './teams.messages.ts';
import { teamsQuery } from './teams.queries.ts';

const route = getRouteApi('/teams');

const CustomerWizard = lazyDialog(() => import('./customer-wizard.tsx'), 'CustomerWizard');
const customerOperations = [
  'uploadDocument',
  'createBot',
  'publishBot',
  'createDevice',
  'createDeviceLink',
] as const;

export function TeamsPage() {
  const t = useMessages(teamsMessages);
  const search = route.useSearch();
  const list = useListSearch(search);
  const { plan, ...filters } = search;
  const query = useQuery(teamsQuery({ ...filters, plan_name: plan }));
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const may = useMay();
  const mayCreate = may('createTeam');
  const mayComplete = mayCreate && customerOperations.every(may);
  const [welcoming, setWelcoming] = useState(false);
  const create = mayCreate && (
    <>
      {mayComplete && <Button onClick={() => setWelcoming(true)}>{t.createCustomer}</Button>}
      <CreateButton label={t.create} onClick={() => setCreating(true)} />
    </>
  );
  return (
    <Page
      title={t.title}
      description={t.intro}
      actions={(query.data?.meta.total !== 0 || list.isSearched) && create}
    >
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        caption={t.title}
        list={list}
        toolbar={
          <ListToolbar>
            <SearchInput label={t.search} value={search.name} onChange={(name) => list.filter({ name })} />
            <FlagFilter
              label={t.payment}
              all={t.allPayments}
              yes={t.paying}
              no={t.notPaying}
              value={search.paying}
              onChange={(paying) => list.filter({ paying })}
            />
            {plan !== undefined && (
              <FilterChip label={t.onPlan(plan)} onClear={() => list.filter({ plan: undefined })} />
            )}
          </ListToolbar>
        }
        empty={
          <EmptyState icon={Users} title={t.empty} action={create}>
            {t.emptyHint}
          </EmptyState>
        }
      />
      {welcoming && <CustomerWizard onClose={() => setWelcoming(false)} />}
      {mayCreate && <CreateTeamDialog open={creating} onOpenChange={setCreating} />}
    </Page>
  );
}

function useColumns(): Column<Team>[] {
  const t = useMessages(teamsMessages);
  const common = useMessages(commonMessages);
  const formats = useFormats();
  return useMemo(
    () => [
      {
        name: common.name,
        cell: ({ id, name }) => (
          <Link
            to="/teams/$teamId"
            params={{ teamId: id }}
            className="block truncate font-medium hover:underline"
          >
            {name}
          </Link>
        ),
      },
      { name: common.status, cell: (team) => <TeamBadges team={team} /> },
      {
        name: t.plan,
        hideBelow: 'sm',
        cell: (team) => <span className="whitespace-nowrap">{team.plan_name}</span>,
      },
      {
        name: common.created,
        hideBelow: 'md',
        cell: (team) => <span className="whitespace-nowrap text-muted">{formats.date(team.created_at)}</span>,
      },
    ],
    [t, common, formats],
  );
}
