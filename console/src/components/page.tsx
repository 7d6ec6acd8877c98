import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTabTitle } from '../app/attention.ts';

export interface Crumb {
  label: string;
  to: string;
}

/** The frame of a page: its place, title, actions and content. Sets the title of the window. */
export function Page({
  title,
  description,
  crumbs = [],
  actions,
  badge,
  children,
}: {
  title: string;
  description?: ReactNode;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  badge?: ReactNode;
  children: ReactNode;
}) {
  useTabTitle(title);
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 gap-6 px-4 py-6 sm:px-8 sm:py-8 print:max-w-none print:p-0">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 sm:flex-nowrap">
        <div className="min-w-0">
          {crumbs.length > 0 && (
            <nav aria-label="Breadcrumb" className="mb-1 print:hidden">
              <ol className="flex flex-wrap items-center gap-1 text-muted text-[0.8125rem]">
                {crumbs.map((crumb) => (
                  <li key={crumb.to} className="flex min-w-0 items-center gap-1">
                    <Link to={crumb.to} className="max-w-60 truncate hover:text-foreground">
                      {crumb.label}
                    </Link>
                    <ChevronRight aria-hidden className="size-3.5" />
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1
              title={title}
              className="line-clamp-3 min-w-0 text-xl font-semibold tracking-tight wrap-anywhere"
            >
              {title}
            </h1>
            {badge}
          </div>
          {description !== undefined && (
            <p className="mt-1 max-w-2xl text-pretty text-muted">{description}</p>
          )}
        </div>
        {actions !== undefined && (
          <div data-page-actions className="flex shrink-0 flex-wrap max-sm:shrink gap-2 print:hidden">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}
