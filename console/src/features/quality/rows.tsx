import type { ReactNode } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { cn } from '../../lib/class-names.ts';

/** The rows of a card whose content reaches the edges. */
export const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className="border-t" aria-label={label}>
    {children}
  </ul>
);

export const Row = ({ children }: { children: ReactNode }) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-5 py-2.5 last:border-b-0">
    {children}
  </li>
);

/** Opens the case with this name. */
export const CaseLink = ({
  name,
  onShow,
  className,
}: {
  name: string;
  onShow: () => void;
  className?: string;
}) => (
  <Button
    look="link"
    size="inline"
    className={cn('min-w-0 justify-start text-left whitespace-normal wrap-anywhere', className)}
    onClick={onShow}
  >
    {name}
  </Button>
);
