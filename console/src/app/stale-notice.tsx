import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { useMessages } from '../i18n/use-locale.ts';
import { shellMessages } from './shell.messages.ts';

declare module '@tanstack/react-query' {
  interface Register {
    /** `showsAge`: the page itself says that the data is old. */
    queryMeta: { showsAge?: boolean };
  }
}

/** Says that the page shows old data because reading it again failed. */
export function StaleNotice() {
  const t = useMessages(shellMessages);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-2 z-50 flex justify-center lg:left-60"
    >
      {useIsStale() && (
        <p className="rounded-full border border-danger/40 bg-raised px-3 py-1 text-danger text-xs shadow-popup">
          {t.notUpToDate}
        </p>
      )}
    </div>
  );
}

/** Returns true while a query of the page has data, but its last read failed. */
function useIsStale(): boolean {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback(
    (listener: () => void) =>
      cache.subscribe(({ type }) => {
        if (type === 'updated' || type === 'observerRemoved') listener();
      }),
    [cache],
  );
  return useSyncExternalStore(subscribe, () =>
    cache
      .getAll()
      .some(
        (query) =>
          query.state.status === 'error' &&
          query.state.data !== undefined &&
          query.meta?.showsAge !== true &&
          query.isActive(),
      ),
  );
}
