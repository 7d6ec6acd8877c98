import type { StreamEventsOptions } from '@parley/sdk';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { mergeHours } from './activity-hours.ts';

/** Events that change the figures of the home page. */
export const liveTypes: NonNullable<StreamEventsOptions['types']> = [
  'message.received',
  'message.sent',
  'message.delivered',
  'device.connected',
  'device.disconnected',
  'device.logged_out',
  'device.restricted',
  'conversation.paused',
  'conversation.resumed',
  'conversation.human_requested',
  'bot.published',
  'document.ready',
  'document.failed',
  'payment.captured',
  'team.created',
  'team.deleted',
  'quota.warning',
  'quota.reached',
  'credits.exhausted',
  'webhook.disabled',
];

/** For changes without an event, such as a pool that dies or a webhook that begins to fail. */
const refreshMs = 10_000;

const one = { limit: 1 };
const some = { limit: 20 };
const latest = { ...some, page: 1, sort: 'last_message_at' } as const;

/** The current figures of the home page. The totals of the lists are counters, so they cost the service little. */
export const overviewQuery = (isOperator: boolean) =>
  queryOptions({
    queryKey: ['home', 'overview', isOperator],
    refetchInterval: refreshMs,
    meta: { showsAge: true },
    async queryFn({ signal }) {
      const call = { signal };
      const [teams, bots, unpublished, devices, down, documents, conversations, paused, pools] =
        await Promise.all([
          api.listTeams(one, call),
          api.listBots(one, call),
          api.listBots({ ...one, published: false }, call),
          api.listDevices(one, call),
          api.listDevices({ ...some, status: 'started', connected: false }, call),
          api.listDocuments(some, call),
          api.listConversations(latest, call),
          api.listConversations({ ...latest, state: 'paused' }, call),
          isOperator ? api.listPools({ limit: 100 }, call) : null,
        ]);
      const [connected, webhooks, quotas] = await Promise.all([
        api.listDevices({ ...one, connected: true }, call),
        api.listWebhooks({ ...some, failing: true }, call),
        api.getQuotaWarnings(undefined, call),
      ]);
      const recent = new Map([...conversations.data, ...paused.data].map((each) => [each.id, each]));
      const searched = [documents, conversations, ...(pools === null ? [] : [pools])];
      return {
        /** Whether all objects that may need attention were read. The API has no filter for all of them. */
        isComplete: searched.every(({ meta }) => meta.totalPages <= 1),
        teams: teams.meta.total,
        bots: bots.meta.total,
        unpublishedBots: unpublished.meta.total,
        devices: devices.meta.total,
        connectedDevices: connected.meta.total,
        documents: documents.meta.total,
        conversations: conversations.meta.total,
        pausedConversations: paused.meta.total,
        devicesDown: down.data,
        documentsFailed: documents.data.filter(({ provider_status }) => provider_status === 'failed'),
        webhooksFailing: webhooks.data,
        quotas: quotas.warnings,
        flagged: [...recent.values()].filter(({ flag }) => flag !== undefined),
        poolsDead: (pools?.data ?? []).filter(({ alive, devices: count }) => !alive && count > 0),
      };
    },
  });

const activityRefreshMs = 10 * 60_000;

/** Read in full every 10 minutes. In between, only the last hours are read, because a busy service has many messages. */
export const activityQuery = queryOptions({
  queryKey: ['home', 'activity'],
  queryFn: async ({ signal }) => (await api.getActivity({}, { signal })).hours,
  staleTime: activityRefreshMs,
  refetchInterval: activityRefreshMs,
});

/** Reads the current hour again, and the one before in case it ended meanwhile. After a gap, reads all hours. */
export async function refreshActivity(queries: QueryClient): Promise<void> {
  const { queryKey } = activityQuery;
  const { hours: fresh } = await api.getActivity({ hours: 2 });
  const known = queries.getQueryData(queryKey);
  if (known === undefined) return;
  const merged = mergeHours(known, fresh);
  if (merged === null) await queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
  else queries.setQueryData(queryKey, merged);
}

export type Overview = NonNullable<
  Awaited<ReturnType<NonNullable<ReturnType<typeof overviewQuery>['queryFn']>>>
>;
