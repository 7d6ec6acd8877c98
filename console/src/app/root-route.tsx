import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Page } from '../components/page.tsx';
import { buttonClass } from '../components/ui/button.tsx';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { SignedInFrame } from './signed-in-frame.tsx';

function NotFoundPage() {
  const t = useMessages(commonMessages);
  return (
    <Page title={t.notFound}>
      <div className="rounded-xl border bg-card">
        <EmptyState
          icon={MapPinOff}
          title={t.notFound}
          action={
            <Link to="/" className={buttonClass()}>
              {t.toHome}
            </Link>
          }
        >
          {t.notFoundHint}
        </EmptyState>
      </div>
    </Page>
  );
}

/** Shown when a page fails to render. */
const ErrorPage = ({ error }: { error: unknown }) => (
  <div className="mx-auto max-w-2xl p-8">
    <ErrorNotice error={error} onRetry={() => location.reload()} />
  </div>
);

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: SignedInFrame,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});
