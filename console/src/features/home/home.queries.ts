import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const refreshMs = 5_000;

const one = { limit: 1 };
const some = { limit: 20 };

/** The figures of the home page. The totals of the lists are counters, so they cost the service little. */
export const overviewQuery = (isOperator: boolean) =>
  queryOptions({
    queryKey: ['home', isOperator],
    refetchInterval: refreshMs,
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
          api.listConversations(some, call),
          api.listConversations({ ...some, state: 'paused' }, call),
          isOperator ? api.listPools(some, call) : null,
        ]);
      const connected = await api.listDevices({ ...one, connected: true }, call);
      return {
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
        flagged: conversations.data.filter(({ flag }) => flag !== undefined),
        poolsDead: (pools?.data ?? []).filter(({ alive, devices: count }) => !alive && count > 0),
      };
    },
  });

export type Overview = NonNullable<
  Awaited<ReturnType<NonNullable<ReturnType<typeof overviewQuery>['queryFn']>>>
>;
