import type { AuditEntry } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListToolbar, TeamFilter } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Input } from '../../components/ui/field.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { AuditEntryDialog } from './audit-entry-dialog.tsx';
import { auditLogMessages } from './audit-log.messages.ts';
import { auditLogQuery } from './audit-log.queries.ts';
import { useAuthorOf } from './entry-author.ts';
import { useOperationText } from './operation-text.ts';

const route = getRouteApi('/audit-log');

export function AuditLogPage() {
  const t = useMessages(auditLogMessages);
  const search = route.useSearch();
  const list = useListSearch(search);
  const { page, team, operation, object, key, from, to } = search;
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const query = useQuery(
    auditLogQuery({
      page,
      team_id: team,
      operation,
      object_id: object,
      key_id: key,
      since: from && startOfDay(from),
      until: to && startOfDay(to, 1),
    }),
  );
  const columns = useColumns(setOpened);
  return (
    <Page title={t.title} description={t.intro}>
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        caption={t.title}
        list={list}
        toolbar={<Toolbar />}
        empty={
          <EmptyState icon={ScrollText} title={t.empty}>
            {t.emptyHint}
          </EmptyState>
        }
      />
      {opened !== null && <AuditEntryDialog entry={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

function startOfDay(day: string, daysLater = 0): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

function Toolbar() {
  const t = useMessages(auditLogMessages);
  const search = route.useSearch();
  const { filter } = useListSearch(search);
  return (
    <ListToolbar>
      <SearchInput
        label={t.operationFilter}
        value={search.operation}
        onChange={(operation) => filter({ operation })}
      />
      <SearchInput label={t.objectFilter} value={search.object} onChange={(object) => filter({ object })} />
      <SearchInput label={t.keyFilter} value={search.key} onChange={(key) => filter({ key })} />
      <TeamFilter value={search.team} onChange={(team) => filter({ team })} />
      {(['from', 'to'] as const).map((end) => (
        <div key={end} className="flex items-center gap-2 text-muted max-sm:w-full">
          <span aria-hidden className="max-sm:w-12 sm:pl-1">
            {t[end]}
          </span>
          <Input
            type="date"
            aria-label={t[end]}
            value={search[end] ?? ''}
            className="text-foreground sm:w-40"
            onChange={(event) => filter({ [end]: event.target.value || undefined })}
          />
        </div>
      ))}
    </ListToolbar>
  );
}

function useColumns(onOpen: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  const t = useMessages(auditLogMessages);
  const common = useMessages(commonMessages);
  const { dateTime } = useFormats();
  const authorOf = useAuthorOf();
  const operationText = useOperationText();
  return useMemo(
    () => [
      {
        name: t.change,
        cell: (entry) => (
          <div className="min-w-0">
            <Button
              look="ghost"
              size="inline"
              className="max-w-full rounded font-medium"
              aria-label={t.details(operationText(entry.operation))}
              onClick={() => onOpen(entry)}
            >
              <span className="truncate underline-offset-4 hover:underline">
                {operationText(entry.operation)}
              </span>
            </Button>
            <p className="truncate text-muted text-xs">
              {entry.object_type} <span className="font-mono">{entry.object_id}</span>
            </p>
          </div>
        ),
      },
      {
        name: common.team,
        hideBelow: 'md',
        cell: ({ team_id }) => (
          <span className="block max-w-44 truncate">
            {team_id === null ? <span className="text-muted">{common.none}</span> : <TeamName id={team_id} />}
          </span>
        ),
      },
      {
        name: t.author,
        hideBelow: 'sm',
        cell: (entry) => <span className="block max-w-40 truncate">{authorOf(entry)}</span>,
      },
      {
        name: t.at,
        cell: ({ at }) => (
          <span className="inline-block min-w-24 text-muted sm:whitespace-nowrap">{dateTime(at)}</span>
        ),
      },
    ],
    [t, common, dateTime, onOpen, authorOf, operationText],
  );
}
