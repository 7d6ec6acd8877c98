import { Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from '../components/page.tsx';
import { buttonClass } from '../components/ui/button.tsx';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';

export function NotFoundPage() {
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
