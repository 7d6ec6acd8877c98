import type { Attention, StreamEventsOptions } from '@parley/sdk';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useEffect, useRef } from 'react';
import { api } from '../api/client.ts';
import { settings } from './settings.ts';
import { useLiveEvents } from './use-live-events.ts';
import { useSession } from './use-session.ts';

export type AttentionKind = Attention['kinds'][number]['kind'];

/** Events that change the figures of the console. */
const liveTypes: NonNullable<StreamEventsOptions['types']> = [
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
  'contact.automated',
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
const refreshMs = 15_000;

export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => api.getAttention({}, { signal }),
  refetchInterval: refreshMs,
  meta: { showsAge: true },
});

export const countOf = (attention: Attention | undefined, kinds: readonly AttentionKind[]): number =>
  attention?.kinds.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0) ?? 0;

/** Shows the title in the tab, after the number of contacts who wait for a person. */
export function useTabTitle(title: string): void {
  const isSignedIn = useSession() !== null;
  const waiting = countOf(useQuery({ ...attentionQuery, enabled: isSignedIn }).data, ['human_requested']);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · ${settings.brand.name}`;
  }, [title, waiting]);
}

/** Since when the live feed has been dead, or null. */
export const LiveFeedContext = createContext<number | null>(null);

/** A busy service must not cause requests for every event. */
const refreshDelayMs = 3_000;

/** Reads the figures of the open page again soon after an event. Returns since when the live feed has been dead. */
export function useLiveFeed(): number | null {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return useLiveEvents(liveTypes, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      refreshFigures(queries);
    }, refreshDelayMs);
  });
}

/** A read that takes longer than the delay must finish, or a busy service would never show new figures. */
function refreshFigures(queries: QueryClient): void {
  for (const queryKey of [attentionQuery.queryKey, ['home']])
    void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
