import { Unplug } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { isWaitingForChunk, loadChunk, subscribeToChunks } from '../lib/load-chunk.ts';
import { EmptyState } from './empty-state.tsx';
import { Page } from './page.tsx';

const useIsWaiting = (): boolean => useSyncExternalStore(subscribeToChunks, isWaitingForChunk);

function WaitingPage() {
  const t = useMessages(commonMessages);
  if (!useIsWaiting()) return null;
  return (
    <Page title={t.serviceAway}>
      <div role="status" className="rounded-xl border bg-card">
        <EmptyState icon={Unplug} title={t.serviceAway}>
          {t.serviceAwayHint}
        </EmptyState>
      </div>
    </Page>
  );
}

/** Over the page that opened a dialog. */
function WaitingNotice() {
  const t = useMessages(commonMessages);
  if (!useIsWaiting()) return null;
  return (
    <p
      role="status"
      className="fixed inset-x-4 top-2 z-50 mx-auto w-fit rounded-xl border border-danger/40 bg-raised px-3 py-1 text-danger text-xs shadow-popup"
    >
      {t.serviceAway}. {t.serviceAwayHint}
    </p>
  );
}

type Content = (props: object) => ReactNode;

/** A page in a file of its own. It loads before a link to it is clicked. If that fails, it shows that it waits for the service. */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, Content>>, name: Name) {
  let loaded: Content | undefined;
  const Later: Content = lazy(async () => ({ default: (await loadChunk(load))[name] as Content }));
  function LazyPage() {
    // A shown page stays the same component, or it would lose its state.
    const [Shown] = useState(() => loaded ?? Later);
    return (
      <Suspense fallback={<WaitingPage />}>
        <Shown />
      </Suspense>
    );
  }
  return Object.assign(LazyPage, {
    async preload() {
      const chunk = await load().catch(() => undefined);
      loaded = chunk?.[name] ?? loaded;
    },
  });
}

/** A dialog in a file of its own. */
export function lazyDialog<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, (props: Props) => ReactNode>>,
  name: Name,
) {
  const Later = lazy(async () => ({
    default: (await loadChunk(load))[name] as ComponentType<object>,
  }));
  return (props: Props) => (
    <Suspense fallback={<WaitingNotice />}>
      <Later {...props} />
    </Suspense>
  );
}
