import type { Webhook } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { WebhookIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { settings } from '../../app/settings.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import type { Column } from '../../components/columns.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListToolbar, TeamFilter } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { CreateWebhookDialog } from './create-webhook-dialog.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { webhooksMessages } from './webhooks.messages.ts';
import { webhooksQuery } from './webhooks.queries.ts';

const route = getRouteApi('/webhooks');

export function WebhooksPage() {
  const t = useMessages(webhooksMessages);
  const { teamId } = useActor();
  const { page, team } = route.useSearch();
  const list = useListSearch({ page, team });
  const query = useQuery(webhooksQuery({ page, team_id: team }));
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const create = useMay()('createWebhook') && (
    <CreateButton label={t.create} onClick={() => setCreating(true)} />
  );
  return (
    <Page
      title={t.title}
      description={t.intro(settings.brand.name)}
      actions={(query.data?.meta.total !== 0 || list.isSearched) && create}
    >
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        caption={t.title}
        list={list}
        toolbar={
          teamId === null && (
            <ListToolbar>
              <TeamFilter value={team} onChange={(chosen) => list.filter({ team: chosen })} />
            </ListToolbar>
          )
        }
        empty={
          <EmptyState icon={WebhookIcon} title={t.empty} action={create}>
            {t.emptyHint}
          </EmptyState>
        }
      />
      <CreateWebhookDialog open={creating} onOpenChange={setCreating} team={team ?? null} />
    </Page>
  );
}

function useColumns(): Column<Webhook>[] {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { date } = useFormats();
  const { teamId } = useActor();
  return useMemo(() => {
    const team: Column<Webhook> = {
      name: common.team,
      hideBelow: 'md',
      cell: ({ team_id }) => (
        <span className="block max-w-44 truncate">
          {team_id === null ? (
            <span className="text-muted">{common.allTeams}</span>
          ) : (
            <TeamName id={team_id} />
          )}
        </span>
      ),
    };
    return [
      {
        name: t.url,
        cell: ({ id, url, description }) => (
          <div className="min-w-0">
            <Link
              to="/webhooks/$webhookId"
              params={{ webhookId: id }}
              className="block truncate font-medium hover:underline"
            >
              {url}
            </Link>
            {description !== '' && <p className="truncate text-muted text-xs">{description}</p>}
          </div>
        ),
      },
      { name: common.status, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
      {
        name: t.events,
        hideBelow: 'sm',
        cell: ({ events }) => (
          <span className="block max-w-56 truncate text-muted">
            {events.includes('*') ? t.allEvents : events.join(', ')}
          </span>
        ),
      },
      ...(teamId === null ? [team] : []),
      {
        name: common.created,
        hideBelow: 'lg',
        cell: ({ created_at }) => <span className="whitespace-nowrap text-muted">{date(created_at)}</span>,
      },
    ];
  }, [t, common, date, teamId]);
}
