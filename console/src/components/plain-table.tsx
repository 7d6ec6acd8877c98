import { type Key, memo, type ReactNode } from 'react';
import { cn } from '../lib/class-names.ts';
import { type Column, cellClass } from './columns.ts';

/** A table of rows that are all known. */
export function PlainTable<Row>({
  columns,
  rows,
  rowKey,
  caption,
  placeholder,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => Key;
  /** For screen readers. */
  caption: string;
  /** Rows to show instead. */
  placeholder?: ReactNode;
}) {
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on narrow screens it scrolls, and the keyboard must reach it
      tabIndex={0}
      className="overflow-x-auto -outline-offset-2"
    >
      <table className="w-full border-collapse">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b text-left text-muted text-[0.8125rem]">
            {columns.map((column, position) => (
              <th
                key={column.name}
                scope="col"
                className={cn(cellClass(column, position), 'h-10 font-medium whitespace-nowrap')}
              >
                {column.hideName ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {placeholder ??
            rows.map((row) => (
              // The type of a memoized component has no parameter for the row.
              <TableRow key={rowKey(row)} columns={columns as readonly Column<unknown>[]} row={row} />
            ))}
        </tbody>
      </table>
    </section>
  );
}

/** Memoized, because a page renders its table several times while the next rows load. */
const TableRow = memo(({ columns, row }: { columns: readonly Column<unknown>[]; row: unknown }) => (
  <tr className="border-b last:border-b-0 hover:bg-surface">
    {columns.map((column, position) => (
      <td key={column.name} className={cn(cellClass(column, position), 'h-13 py-2')}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
));
