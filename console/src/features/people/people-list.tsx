import { useQuery } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { useMemo } from 'react';
import { shellMessages } from '../../app/shell.messages.ts';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import type { ListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { peopleMessages } from './people.messages.ts';
import { type PeopleOf, type Person, peopleQuery } from './people.queries.ts';
import { PersonMenu } from './person-menu.tsx';

export function PeopleList({ team, list }: { team: PeopleOf; list: ListSearch<unknown> }) {
  const t = useMessages(peopleMessages);
  const query = useQuery(peopleQuery(team, list.page));
  const columns = useColumns(team);
  return (
    <DataTable
      query={query}
      columns={columns}
      rowKey={({ id }) => id}
      caption={t.title}
      list={list}
      empty={
        <EmptyState icon={UserRound} title={t.empty}>
          {team === null ? t.staffIntro : t.intro}
        </EmptyState>
      }
    />
  );
}

function useColumns(team: PeopleOf): Column<Person>[] {
  const t = useMessages(peopleMessages);
  const { roles } = useMessages(shellMessages);
  const common = useMessages(commonMessages);
  const { ago } = useFormats();
  return useMemo(
    () => [
      {
        name: common.name,
        cell: ({ name, email }) => (
          <div className="min-w-0">
            <p className="truncate font-medium">{name}</p>
            <p className="truncate text-muted text-xs">{email}</p>
          </div>
        ),
      },
      { name: t.role, cell: ({ role }) => <span className="whitespace-nowrap">{roles[role]}</span> },
      {
        name: common.status,
        hideBelow: 'sm',
        cell: ({ state }) =>
          state === 'active' ? <Badge tone="success">{t.active}</Badge> : <Badge>{t.invited}</Badge>,
      },
      {
        name: t.lastSeen,
        hideBelow: 'md',
        cell: ({ last_seen_at: at }) => (
          <span className="whitespace-nowrap text-muted">{at === null ? common.none : ago(at)}</span>
        ),
      },
      {
        name: common.more,
        hideName: true,
        align: 'end',
        cell: (person) => <PersonMenu team={team} person={person} />,
      },
    ],
    [t, roles, common, ago, team],
  );
}
