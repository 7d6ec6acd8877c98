import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { ErrorNotice } from './error-notice.tsx';
import { Skeleton } from './ui/skeleton.tsx';

/** Shows the data of a query, a placeholder while it loads, or its error. */
export function Loaded<Data>({
  query,
  children,
  placeholder,
}: {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
  placeholder?: ReactNode;
}) {
  const t = useMessages(commonMessages);
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div role="status" aria-label={t.loading}>
      {placeholder ?? <Skeleton className="h-40 w-full" />}
    </div>
  );
}
