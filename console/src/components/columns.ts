import type { ReactNode } from 'react';
import { cn } from '../lib/class-names.ts';

export interface Column<Row> {
  name: string;
  /** Leaves the name to screen readers, for columns of buttons. */
  hideName?: boolean;
  cell: (row: Row) => ReactNode;
  /** Hides the column on narrower screens. */
  hideBelow?: 'sm' | 'md' | 'lg';
  align?: 'end';
}

const hidden = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden' };

/** The first column takes the remaining width and truncates. */
export const cellClass = <Row>({ hideBelow, align }: Column<Row>, position: number): string =>
  cn(
    'px-2 first:pl-4 last:pr-4 sm:px-4 sm:first:pl-5',
    hideBelow !== undefined && hidden[hideBelow],
    align === 'end' && 'text-right tabular-nums',
    position === 0 && 'w-full max-w-0 min-w-32',
  );
