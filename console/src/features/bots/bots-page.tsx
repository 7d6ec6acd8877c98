import type { Bot as BotRecord } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { usePageTitle } from '../../app/use-page-title.ts';
import { useActor } from '../../app/use-session.ts';
import type { Column } from '../../components/columns.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterChip } from '../../components/filter-chip.tsx';
import { FlagFilter, ListToolbar, TeamFilter } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TeamLink } from '../../components/team-name.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { documentNameQuery } from '../documents/documents.queries.ts';
import { botsMessages } from './bots.messages.ts';
import { botsQuery } from './bots.queries.ts';
import { CreateBotDialog } from './create-bot-dialog.tsx';
import { PublicationBadge } from './publication-badge.tsx';

const route = getRouteApi('/bots');

export function BotsPage() {
  const t = useMessages(botsMessages);
  const actor = useActor();
  const search = route.useSearch();
  const list = useListSearch(search);
  const { team, document, ...filters } = search;
  const teamId = actor.teamId ?? team;
  const query = useQuery(botsQuery({ ...filters, team_id: teamId, document_id: document }));
  const columns = useColumns(teamId === undefined);
  const [creating, setCreating] = useState(false);
  const create = useMay()('createBot') && <CreateButton label={t.create} onClick={() => setCreating(true)} />;
  return (
    <Page
      title={usePageTitle('/bots')}
      description={t.intro}
      actions={(query.data?.meta.total !== 0 || list.isSearched) && create}
    >
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        caption={t.title}
        list={list}
        toolbar={<Toolbar />}
        empty={
          <EmptyState icon={Bot} title={t.empty} action={create}>
            {t.emptyHint}
          </EmptyState>
        }
      />
      {creating && <CreateBotDialog teamId={teamId ?? null} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Toolbar() {
  const t = useMessages(botsMessages);
  const search = route.useSearch();
  const { filter } = useListSearch(search);
  return (
    <ListToolbar>
      <SearchInput label={t.search} value={search.name} onChange={(name) => filter({ name })} />
      <TeamFilter value={search.team} onChange={(team) => filter({ team })} />
      <FlagFilter
        label={t.publication}
        all={t.all}
        yes={t.published}
        no={t.unpublished}
        value={search.published}
        onChange={(published) => filter({ published })}
      />
      {search.document !== undefined && (
        <DocumentFilter id={search.document} onClear={() => filter({ document: undefined })} />
      )}
    </ListToolbar>
  );
}

function DocumentFilter({ id, onClear }: { id: string; onClear: () => void }) {
  const t = useMessages(botsMessages);
  const name = useQuery(documentNameQuery(id)).data;
  return <FilterChip label={t.withDocument(name ?? '…')} onClear={onClear} />;
}

function useColumns(showsTeam: boolean): Column<BotRecord>[] {
  const common = useMessages(commonMessages);
  const { ago } = useFormats();
  return useMemo(() => {
    const team: Column<BotRecord> = {
      name: common.team,
      hideBelow: 'md',
      cell: ({ team_id }) => <TeamLink id={team_id} />,
    };
    return [
      {
        name: common.name,
        cell: ({ id, name }) => (
          <Link
            to="/bots/$botId"
            params={{ botId: id }}
            className="block truncate font-medium hover:underline"
          >
            {name}
          </Link>
        ),
      },
      {
        name: common.status,
        cell: (bot) => <PublicationBadge bot={bot} />,
      },
      ...(showsTeam ? [team] : []),
      {
        name: common.updated,
        hideBelow: 'lg',
        cell: ({ updated_at }) => <span className="whitespace-nowrap text-muted">{ago(updated_at)}</span>,
      },
    ];
  }, [common, ago, showsTeam]);
}
