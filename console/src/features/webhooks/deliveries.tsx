import type { Webhook, WebhookDelivery } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter, ListToolbar } from '../../components/list-toolbar.tsx';
import { Button } from '../../components/ui/button.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { webhooksMessages } from './webhooks.messages.ts';
import { deliveriesQuery, deliveryStates } from './webhooks.queries.ts';

const route = getRouteApi('/webhooks/$webhookId');

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const t = useMessages(webhooksMessages);
  const { page, state } = route.useSearch();
  const list = useListSearch({ page, state });
  const query = useQuery(deliveriesQuery({ id: webhook.id, page, status: state }));
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  const columns = useColumns(setOpened);
  // New deliveries may have moved the opened one to another page.
  const latest = query.data?.data.find(({ event_id }) => event_id === opened?.event_id) ?? opened;
  return (
    <div className="grid grid-cols-1 gap-3">
      <h2 className="font-semibold">{t.deliveries}</h2>
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ event_id }) => event_id}
        caption={t.deliveries}
        list={list}
        toolbar={
          <ListToolbar>
            <ChoiceFilter
              label={t.outcome}
              all={t.allOutcomes}
              value={state}
              onChange={(chosen) => list.filter({ state: chosen })}
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
      {latest !== null && (
        <DeliveryDialog webhook={webhook} delivery={latest} onClose={() => setOpened(null)} />
      )}
    </div>
  );
}

function useColumns(onOpen: (delivery: WebhookDelivery) => void): Column<WebhookDelivery>[] {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { ago, number } = useFormats();
  return [
    {
      name: t.event,
      cell: (delivery) => (
        <div className="min-w-0">
          <Button
            look="ghost"
            size="inline"
            className="max-w-full rounded"
            aria-label={t.payloadOf(delivery.type)}
            onClick={() => onOpen(delivery)}
          >
            <span className="truncate font-mono text-[0.8125rem] underline-offset-4 hover:underline">
              {delivery.type}
            </span>
          </Button>
          {delivery.error !== null && <p className="truncate text-danger text-xs">{delivery.error}</p>}
        </div>
      ),
    },
    { name: common.status, cell: (delivery) => <OutcomeBadge {...delivery} /> },
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
