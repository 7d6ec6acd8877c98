import type { Document } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { useMemo } from 'react';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter, ListToolbar, TeamFilter } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TeamLink } from '../../components/team-name.tsx';
import { TeamPicker } from '../../components/team-picker.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { DocumentMenu } from './document-menu.tsx';
import { DocumentStatus } from './document-status.tsx';
import { documentTypes } from './document-types.ts';
import { documentsMessages } from './documents.messages.ts';
import { documentsQuery } from './documents.queries.ts';
import { UploadArea } from './upload-area.tsx';

const route = getRouteApi('/documents');

export function DocumentsPage() {
  const t = useMessages(documentsMessages);
  const actor = useActor();
  const search = route.useSearch();
  const list = useListSearch(search);
  const { team, ...filters } = search;
  const teamId = actor.teamId ?? team;
  const query = useQuery(documentsQuery({ ...filters, team_id: teamId }));
  const mayUpload = useMay()('uploadDocument');
  const columns = useColumns(teamId === undefined);
  return (
    <Page title={t.title} description={t.intro}>
      {mayUpload &&
        (teamId === undefined ? (
          <UploadNeedsTeam onChoose={(chosen) => list.filter({ team: chosen })} />
        ) : (
          <UploadArea key={teamId} teamId={teamId} />
        ))}
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        caption={t.title}
        list={list}
        toolbar={<Toolbar />}
        empty={
          <EmptyState icon={FileText} title={t.empty}>
            {t.emptyHint}
          </EmptyState>
        }
      />
    </Page>
  );
}

function UploadNeedsTeam({ onChoose }: { onChoose: (team: string) => void }) {
  const t = useMessages(documentsMessages);
  const common = useMessages(commonMessages);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-control border-dashed p-5">
      <span className="font-medium">{t.chooseTeam}</span>
      <TeamPicker
        label={common.team}
        value={null}
        onChange={(team) => team !== null && onChoose(team)}
        className="w-full sm:w-72"
      />
    </div>
  );
}

function Toolbar() {
  const t = useMessages(documentsMessages);
  const search = route.useSearch();
  const { filter } = useListSearch(search);
  return (
    <ListToolbar>
      <SearchInput label={t.search} value={search.name} onChange={(name) => filter({ name })} />
      <TeamFilter value={search.team} onChange={(team) => filter({ team })} />
      <ChoiceFilter
        label={t.type}
        all={t.allTypes}
        value={search.type}
        onChange={(type) => filter({ type })}
        choices={documentTypes.map((value) => ({ value, label: value.toUpperCase() }))}
      />
    </ListToolbar>
  );
}

function useColumns(showsTeam: boolean): Column<Document>[] {
  const t = useMessages(documentsMessages);
  const common = useMessages(commonMessages);
  const { bytes, number, date } = useFormats();
  return useMemo(() => {
    const team: Column<Document> = {
      name: common.team,
      hideBelow: 'md',
      cell: ({ team_id }) => <TeamLink id={team_id} />,
    };
    return [
      {
        name: common.name,
        cell: ({ name }) => (
          <span className="flex items-center gap-2.5">
            <FileText aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="truncate font-medium">{name}</span>
          </span>
        ),
      },
      { name: common.status, cell: (document) => <DocumentStatus document={document} /> },
      ...(showsTeam ? [team] : []),
      {
        name: t.size,
        align: 'end',
        hideBelow: 'sm',
        cell: ({ size }) => <span className="whitespace-nowrap">{bytes(size)}</span>,
      },
      { name: t.chars, align: 'end', hideBelow: 'lg', cell: ({ chars }) => number(chars) },
      {
        name: common.created,
        hideBelow: 'lg',
        cell: ({ created_at }) => <span className="whitespace-nowrap text-muted">{date(created_at)}</span>,
      },
      {
        name: common.more,
        hideName: true,
        align: 'end',
        cell: (document) => <DocumentMenu document={document} />,
      },
    ];
  }, [t, common, bytes, number, date, showsTeam]);
}
