import type { Contact } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Contact as ContactIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useActor } from '../../app/use-session.ts';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterChip } from '../../components/filter-chip.tsx';
import { FlagFilter, ListToolbar, TeamFilter } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TeamLink } from '../../components/team-name.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { useContactLabel } from '../../components/use-contact-label.ts';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { ContactCard } from '../conversations/contact-details.tsx';
import { deskMessages } from '../conversations/desk.messages.ts';
import { contactsMessages } from './contacts.messages.ts';
import { contactsQuery } from './contacts.queries.ts';

const route = getRouteApi('/contacts');

export function ContactsPage() {
  const labelOf = useContactLabel();
  const t = useMessages(contactsMessages);
  const { teamId } = useActor();
  const search = route.useSearch();
  const list = useListSearch(search);
  const query = useQuery(contactsQuery(search));
  const [edited, setEdited] = useState<Contact | null>(null);
  const columns = useColumns(teamId === null && search.team === undefined, setEdited);
  return (
    <Page title={t.title} description={t.intro}>
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ team_id, contact_number }) => `${team_id} ${contact_number}`}
        caption={t.title}
        list={list}
        toolbar={<Toolbar />}
        empty={
          <EmptyState icon={ContactIcon} title={t.empty}>
            {t.emptyHint}
          </EmptyState>
        }
      />
      {edited !== null && (
        <Dialog
          open
          onOpenChange={() => setEdited(null)}
          title={edited.name ?? edited.network_name ?? labelOf(edited.contact_number)}
        >
          <ContactCard contact={edited} />
        </Dialog>
      )}
    </Page>
  );
}

function Toolbar() {
  const t = useMessages(contactsMessages);
  const desk = useMessages(deskMessages);
  const search = route.useSearch();
  const { filter } = useListSearch(search);
  return (
    <ListToolbar>
      <SearchInput label={t.search} value={search.q} onChange={(q) => filter({ q })} />
      <TeamFilter value={search.team} onChange={(team) => filter({ team })} />
      <FlagFilter
        label={desk.blocked}
        all={t.blockedOrNot}
        yes={desk.blocked}
        no={t.allowed}
        value={search.blocked}
        onChange={(blocked) => filter({ blocked })}
      />
      {search.label !== undefined && (
        <FilterChip label={search.label} onClear={() => filter({ label: undefined })} />
      )}
    </ListToolbar>
  );
}

function useColumns(showsTeam: boolean, onEdit: (contact: Contact) => void): Column<Contact>[] {
  const labelOf = useContactLabel();
  const t = useMessages(contactsMessages);
  const desk = useMessages(deskMessages);
  const common = useMessages(commonMessages);
  return useMemo(() => {
    const team: Column<Contact> = {
      name: common.team,
      hideBelow: 'md',
      cell: ({ team_id }) => <TeamLink id={team_id} />,
    };
    return [
      {
        name: common.name,
        cell: (contact) => (
          <span className="grid">
            <Button
              look="ghost"
              size="inline"
              className="max-w-60 justify-self-start truncate rounded font-medium"
              onClick={() => onEdit(contact)}
            >
              {contact.name ?? contact.network_name ?? labelOf(contact.contact_number)}
            </Button>
            <span className="text-muted text-xs tabular-nums">{labelOf(contact.contact_number)}</span>
          </span>
        ),
      },
      ...(showsTeam ? [team] : []),
      {
        name: t.labels,
        hideBelow: 'sm',
        cell: ({ labels, blocked }) => (
          <span className="flex flex-wrap gap-1">
            {blocked && <Badge tone="danger">{desk.blocked}</Badge>}
            {labels.map((label) => (
              <Badge key={label}>{label}</Badge>
            ))}
          </span>
        ),
      },
      {
        name: t.about,
        hideBelow: 'lg',
        cell: ({ note }) => <span className="line-clamp-2 max-w-md text-muted">{note}</span>,
      },
      {
        name: t.conversations,
        align: 'end',
        cell: ({ contact_number, team_id }) => (
          <Link
            to="/conversations"
            search={{ q: contact_number, team: team_id }}
            className="whitespace-nowrap underline underline-offset-4"
          >
            {t.conversations}
          </Link>
        ),
      },
    ];
  }, [t, desk, common, showsTeam, onEdit, labelOf]);
}
