import type { Device } from '@parley/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { whileFeedIsDead } from '../../app/live-queries.ts';

export const deviceFilters = ['connected', 'disconnected', 'stopped'] as const;

type DeviceFilter = (typeof deviceFilters)[number];

export interface DevicesSearch {
  page?: number | undefined;
  team?: string | undefined;
  bot?: string | undefined;
  state?: DeviceFilter | undefined;
}

const pageSize = 24;

const conditions = {
  connected: { connected: true },
  disconnected: { status: 'started', connected: false },
  stopped: { status: 'stopped' },
} as const;

export const devicesQuery = ({ page, team, bot, state }: DevicesSearch) =>
  queryOptions({
    queryKey: ['devices', 'list', { page, team, bot, state }],
    queryFn: ({ signal }) =>
      api.listDevices(
        {
          page,
          limit: pageSize,
          team_id: team,
          bot_id: bot,
          ...(state === undefined ? {} : conditions[state]),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'one', id],
    queryFn: ({ signal }) => api.getDevice({ id }, { signal }),
    refetchInterval: 3_000,
  });

/** Without the polling of the page of a device, which changes while somebody looks. */
export const liveDeviceQuery = (id: string) => ({
  ...deviceQuery(id),
  refetchInterval: whileFeedIsDead(3_000),
});

/** QR codes change about every 20 seconds. */
export const deviceStatusQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'status', id],
    queryFn: ({ signal }) => api.getDeviceStatus({ id }, { signal }),
    refetchInterval: 2_000,
  });

export const botChoicesQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['bots', 'choices', teamId],
    queryFn: ({ signal }) => api.listBots({ team_id: teamId, limit: 100 }, { signal }),
  });

export const botNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['bots', 'name', id],
    queryFn: async ({ signal }) => (await api.getBot({ id }, { signal })).name,
    staleTime: 60_000,
  });

export type DeviceState = 'connected' | 'connecting' | 'reconnecting' | 'waiting' | 'stopped' | 'blocked';

export function stateOf(device: Device): DeviceState {
  const { blocked, connected, status, phone_number, capabilities, web_chat } = device;
  if (blocked) return 'blocked';
  if (status === 'stopped') return 'stopped';
  if (connected) return 'connected';
  // Nobody scans a code.
  if (capabilities.credentials || web_chat !== null) return 'connecting';
  return phone_number === null ? 'waiting' : 'reconnecting';
}
