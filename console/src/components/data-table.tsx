import type { Page, PageMeta } from '@parley/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, SearchX } from 'lucide-react';
import { type Key, type ReactNode, useEffect, useEffectEvent } from 'react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useFormats, useMessages } from '../i18n/use-locale.ts';
import { cn } from '../lib/class-names.ts';
import { type Column, cellClass } from './columns.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { PlainTable } from './plain-table.tsx';
import { Button } from './ui/button.tsx';
import { Skeleton } from './ui/skeleton.tsx';
import type { ListSearch } from './use-list-search.ts';

/** A list of one page, as the API returned it. */
export function DataTable<Row>({
  query,
  columns,
  rowKey,
  caption,
  empty,
  list,
  toolbar,
}: {
  query: UseQueryResult<Page<Row, PageMeta>>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => Key;
  /** For screen readers. */
  caption: string;
  empty: ReactNode;
  list: Pick<ListSearch<unknown>, 'page' | 'isFiltered' | 'isSearched' | 'showPage' | 'clearFilters'>;
  toolbar?: ReactNode;
}) {
  const { data } = query;
  const lastPage = Math.max(1, data?.meta.totalPages ?? 1);
  const isBeyond = data !== undefined && !query.isPlaceholderData && list.page > lastPage;
  const showLast = useEffectEvent(() => list.showPage(lastPage, true));
  useEffect(() => {
    if (isBeyond) showLast();
  }, [isBeyond]);
  const isEmpty = data !== undefined && data.data.length === 0;
  return (
    <div className="grid min-w-0 gap-4">
      {(!isEmpty || list.isFiltered) && toolbar}
      {query.isError && data === undefined && (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      )}
      {!(query.isError && data === undefined) && (
        <div className="min-w-0 overflow-hidden rounded-xl border bg-card">
          {isEmpty ? (
            list.isSearched ? (
              <NoMatch onClear={list.clearFilters} />
            ) : (
              empty
            )
          ) : (
            <div className={cn(query.isPlaceholderData && 'opacity-60')}>
              <PlainTable
                columns={columns}
                rows={data?.data ?? []}
                rowKey={rowKey}
                caption={caption}
                placeholder={data === undefined ? <SkeletonRows columns={columns} /> : undefined}
              />
            </div>
          )}
        </div>
      )}
      {data !== undefined && (
        <Pager page={list.page} totalPages={data.meta.totalPages} onPage={list.showPage} />
      )}
    </div>
  );
}

function SkeletonRows<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return [1, 2, 3, 4, 5].map((row) => (
    <tr key={row} className="border-b last:border-b-0">
      {columns.map((column, position) => (
        <td key={column.name} className={cn(cellClass(column, position), 'h-13')}>
          <Skeleton className={position === 0 ? 'h-4 w-40 max-w-full' : 'h-4 w-16'} />
        </td>
      ))}
    </tr>
  ));
}

export function NoMatch({ onClear }: { onClear: () => void }) {
  const t = useMessages(commonMessages);
  return (
    <EmptyState icon={SearchX} title={t.noMatch} action={<Button onClick={onClear}>{t.clearFilters}</Button>}>
      {t.noMatchHint}
    </EmptyState>
  );
}

/** Shows nothing if all is on one page. */
export function Pager({
  page,
  totalPages,
  onPage,
}: {
  page: number;
  totalPages: number;
  onPage: (page: number) => void;
}) {
  const t = useMessages(commonMessages);
  const { number } = useFormats();
  if (totalPages <= 1) return null;
  return (
    <nav
      aria-label={t.pageOf(number(page), number(totalPages))}
      className="flex items-center justify-end gap-2"
    >
      <span className="mr-1 text-muted text-[0.8125rem] tabular-nums">
        {t.pageOf(number(page), number(totalPages))}
      </span>
      <Button
        size="iconSmall"
        aria-label={t.previousPage}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <ChevronLeft aria-hidden className="size-4" />
      </Button>
      <Button
        size="iconSmall"
        aria-label={t.nextPage}
        disabled={page >= totalPages}
        onClick={() => onPage(page + 1)}
      >
        <ChevronRight aria-hidden className="size-4" />
      </Button>
    </nav>
  );
}
