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

export const deliveriesQuery = (input: ListWebhookDeliveriesInput) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', input],
    queryFn: ({ signal }) => api.listWebhookDeliveries(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
