import type { Device, DeviceTemplate } from '@parley/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { whileFeedIsDead } from '../../app/live-queries.ts';

/** The network takes only templates for contacts who have not written for a day. */
export const hasTemplates = ({ capabilities }: Device): boolean => capabilities.initiates === 'template';

export const templatesQuery = (deviceId: string, page: number) =>
  queryOptions({
    queryKey: ['devices', 'templates', deviceId, page],
    queryFn: ({ signal }) => api.listTemplates({ id: deviceId, page, limit: 20 }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: whileFeedIsDead(5_000),
  });

export const approvedTemplatesQuery = (deviceId: string) =>
  queryOptions({
    queryKey: ['devices', 'templates', deviceId, 'approved'],
    queryFn: async ({ signal }) =>
      (await api.listTemplates({ id: deviceId, state: 'approved', limit: 100 }, { signal })).data,
    refetchInterval: whileFeedIsDead(5_000),
  });

/** A template as people know it: a name can exist in several languages. */
export const labelOf = ({ name, language }: Pick<DeviceTemplate, 'name' | 'language'>): string =>
  `${name} (${language})`;

/** The different variables of a body, like `{{1}}`, in the order of their numbers. */
export const variablesOf = (body: string): string[] =>
  [...new Set(body.match(/{{\s*\w+\s*}}/g))].toSorted((one, other) => numberIn(one) - numberIn(other));

const numberIn = (variable: string): number => Number.parseInt(variable.replace(/\D/g, ''), 10);
