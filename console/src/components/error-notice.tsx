import { isParleyError } from '@parley/sdk';
import { TriangleAlert } from 'lucide-react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { Button } from './ui/button.tsx';

/** Shows the API's words about a failed request. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useMessages(commonMessages);
  const isMissing = isParleyError(error) && error.status === 404;
  const isOffline = isParleyError(error, 'connection_failed');
  return (
    <div role="alert" className="flex items-start gap-3 rounded-xl border border-danger/40 bg-danger/5 p-4">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          {isOffline ? t.offline : error instanceof Error ? error.message : t.failedToLoad}
        </p>
        {isParleyError(error) && !isOffline && (
          <p className="text-muted text-xs wrap-anywhere">{t.requestId(error.requestId)}</p>
        )}
      </div>
      {onRetry !== undefined && !isMissing && (
        <Button size="small" onClick={onRetry}>
          {t.retry}
        </Button>
      )}
    </div>
  );
}
