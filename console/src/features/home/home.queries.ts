import type { ActivityHour } from '@parley/sdk';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { mergeHours } from './activity-hours.ts';

/** For changes without an event, such as a deleted bot. */
const refreshMs = 5 * 60_000;

const one = { limit: 1 };

/** The totals of the home page. They are counters, so they cost the service little. */
export const overviewQuery = (isOperator: boolean) =>
  queryOptions({
    queryKey: ['home', 'overview', isOperator],
    refetchInterval: refreshMs,
    meta: { showsAge: true },
    async queryFn({ signal }) {
      const call = { signal };
      const [teams, bots, unpublished, devices, connected, documents, conversations, paused] =
        await Promise.all([
          api.listTeams(one, call),
          api.listBots(one, call),
          api.listBots({ ...one, published: false }, call),
          api.listDevices(one, call),
          api.listDevices({ ...one, connected: true }, call),
          isOperator ? null : api.listDocuments(one, call),
          api.listConversations(one, call),
          api.listConversations({ ...one, state: 'paused' }, call),
        ]);
      return {
        teams: teams.meta.total,
        bots: bots.meta.total,
        unpublishedBots: unpublished.meta.total,
        devices: devices.meta.total,
        connectedDevices: connected.meta.total,
        documents: documents?.meta.total ?? 0,
        conversations: conversations.meta.total,
        pausedConversations: paused.meta.total,
      };
    },
  });

const activityRefreshMs = 10 * 60_000;

/** After the first read, only the current hour and the one before are read, because a busy service has many messages. */
export const activityQuery = queryOptions({
  queryKey: ['home', 'activity'],
  async queryFn({ client, signal }): Promise<ActivityHour[]> {
    const known = client.getQueryData<ActivityHour[]>(['home', 'activity']);
    if (known !== undefined) {
      const merged = mergeHours(known, (await api.getActivity({ hours: 2 }, { signal })).hours);
      if (merged !== null) return merged;
    }
    return (await api.getActivity({}, { signal })).hours;
  },
  staleTime: activityRefreshMs,
  refetchInterval: activityRefreshMs,
});

export type Overview = NonNullable<
  Awaited<ReturnType<NonNullable<ReturnType<typeof overviewQuery>['queryFn']>>>
>;
