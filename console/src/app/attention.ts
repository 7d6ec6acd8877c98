import type { Attention } from '@parley/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/client.ts';
import { useBrand } from './settings.ts';
import { useMay } from './use-may.ts';
import { useSession } from './use-session.ts';

export type AttentionKind = Attention['kinds'][number]['kind'];

/** For changes without an event, such as a pool that dies or a webhook that begins to fail. */
const refreshMs = 15_000;

export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => api.getAttention({}, { signal }),
  refetchInterval: refreshMs,
  meta: { showsAge: true },
});

/** Undefined as long as it is not known, and where the actor may not see it. */
export function useAttention(): Attention | undefined {
  return useQuery({ ...attentionQuery, enabled: useMay()('getAttention') }).data;
}

export const countOf = (attention: Attention | undefined, kinds: readonly AttentionKind[]): number =>
  attention?.kinds.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0) ?? 0;

/** Shows the title in the tab, after the number of contacts who wait for a person. */
export function useTabTitle(title: string): void {
  const isSignedIn = useSession() !== null;
  const mayRead = useMay()('getAttention');
  const attention = useQuery({ ...attentionQuery, enabled: isSignedIn && mayRead }).data;
  const waiting = countOf(attention, ['human_requested']);
  const { name } = useBrand();
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · ${name}`;
  }, [title, waiting, name]);
}
