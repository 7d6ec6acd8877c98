import type { ListWebhookDeliveriesInput, ListWebhooksInput, WebhookDelivery } from '@parley/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const deliveryStates = [
  'pending',
  'delivered',
  'failed',
] as const satisfies WebhookDelivery['status'][];

const refetchInterval = 5_000;

export const webhooksQuery = (filter: ListWebhooksInput) =>
  queryOptions({
    queryKey: ['webhooks', 'list', filter],
    queryFn: ({ signal }) => api.listWebhooks(filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => api.getWebhook({ id }, { signal }),
    refetchInterval,
  });

/** Failed are also deliveries that are repeated. */
const conditions = {
  pending: { status: 'pending', failing: false },
  delivered: { status: 'delivered' },
  failed: { failing: true },
} as const;

export const deliveriesQuery = ({ status, ...input }: Omit<ListWebhookDeliveriesInput, 'failing'>) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', status, input],
    queryFn: ({ signal }) =>
      api.listWebhookDeliveries(
        { ...input, ...(status === undefined ? {} : conditions[status]) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
