import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Says why there is nothing to see and offers the next step. */
export const EmptyState = ({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) => (
  <div className="grid justify-items-center gap-1 px-6 py-14 text-center">
    <span className="mb-3 grid size-11 place-items-center rounded-full bg-hover text-muted">
      <Icon aria-hidden className="size-5" />
    </span>
    <p className="font-semibold">{title}</p>
    {children !== undefined && <div className="max-w-md text-balance text-muted">{children}</div>}
    {action !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
  </div>
);
