import type { ReactNode } from 'react';
import { cn } from '../../lib/class-names.ts';

/** A group of related facts or settings. */
export function Card({
  title,
  description,
  actions,
  children,
  className,
  flush = false,
}: {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  /** Lets the content reach the edges, for tables. */
  flush?: boolean;
}) {
  return (
    <section className={cn('min-w-0 rounded-xl border bg-card print:break-inside-avoid', className)}>
      {title !== undefined && (
        <div
          className={cn(
            'flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4',
            flush && 'pb-4',
          )}
        >
          <div className="min-w-0">
            <h2 className="font-semibold">{title}</h2>
            {description !== undefined && <p className="text-muted text-[0.8125rem]">{description}</p>}
          </div>
          {actions}
        </div>
      )}
      <div className={cn(!flush && 'p-5')}>{children}</div>
    </section>
  );
}
