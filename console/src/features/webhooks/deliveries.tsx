import type { WebhookDelivery } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter, ListToolbar } from '../../components/list-toolbar.tsx';
import { Button } from '../../components/ui/button.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { webhooksMessages } from './webhooks.messages.ts';
import { deliveriesQuery } from './webhooks.queries.ts';
import { deliveryStates } from './webhooks.route.ts';

const route = getRouteApi('/webhooks/$webhookId');

export function Deliveries({ webhookId }: { webhookId: string }) {
  const t = useMessages(webhooksMessages);
  const { page, state } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(deliveriesQuery({ id: webhookId, page, status: state }));
  const [openedId, setOpenedId] = useState<string | null>(null);
  const columns = useColumns(setOpenedId);
  const opened = query.data?.data.find(({ event_id }) => event_id === openedId);
  return (
    <div className="grid grid-cols-1 gap-3">
      <h2 className="font-semibold">{t.deliveries}</h2>
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ event_id }) => event_id}
        caption={t.deliveries}
        page={page ?? 1}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
        isFiltered={state !== undefined}
        onClearFilters={() => void navigate({ search: {} })}
        toolbar={
          <ListToolbar>
            <ChoiceFilter
              label={t.outcome}
              all={t.allOutcomes}
              value={state}
              onChange={(chosen) => void navigate({ search: { state: chosen } })}
              choices={deliveryStates.map((value) => ({ value, label: t.outcomes[value] }))}
            />
          </ListToolbar>
        }
        empty={
          <EmptyState icon={Send} title={t.noDeliveries}>
            {t.noDeliveriesHint}
          </EmptyState>
        }
      />
      {opened !== undefined && (
        <DeliveryDialog webhookId={webhookId} delivery={opened} onClose={() => setOpenedId(null)} />
      )}
    </div>
  );
}

function useColumns(onOpen: (eventId: string) => void): Column<WebhookDelivery>[] {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { ago, number } = useFormats();
  return [
    {
      name: t.event,
      cell: ({ event_id, type, error }) => (
        <div className="min-w-0">
          <Button
            look="ghost"
            size="inline"
            className="max-w-full rounded"
            aria-label={t.payloadOf(type)}
            onClick={() => onOpen(event_id)}
          >
            <span className="truncate font-mono text-[0.8125rem] underline-offset-4 hover:underline">
              {type}
            </span>
          </Button>
          {error !== null && <p className="truncate text-danger text-xs">{error}</p>}
        </div>
      ),
    },
    { name: common.status, cell: ({ status }) => <OutcomeBadge status={status} /> },
    { name: t.attempts, hideBelow: 'sm', align: 'end', cell: ({ attempts }) => number(attempts) },
    {
      name: t.nextAttempt,
      hideBelow: 'md',
      cell: ({ next_attempt_at }) => (
        <span className="whitespace-nowrap text-muted">
          {next_attempt_at === null ? common.none : ago(next_attempt_at)}
        </span>
      ),
    },
    {
      name: common.created,
      hideBelow: 'lg',
      cell: ({ created_at }) => <span className="whitespace-nowrap text-muted">{ago(created_at)}</span>,
    },
  ];
}
