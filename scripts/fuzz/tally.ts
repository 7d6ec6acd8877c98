import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import { whyUnreachable } from './unreachable.ts';

/** How often each operation answered with which status. */
export interface Tally {
  note(operation: ApiOperation, status: number): void;
  /** Operations whose 2xx are too rare, and declared statuses that never came. */
  faults(): string[];
  table(): string;
}

const leastSuccesses = 0.3;

export function createTally(operations: readonly ApiOperation[]): Tally {
  const counts = new Map(operations.map(({ id }) => [id, new Map<number, number>()]));
  const of = (id: string, status: number): number => counts.get(id)?.get(status) ?? 0;
  const totalOf = (id: string): number => [...(counts.get(id)?.values() ?? [])].reduce((a, b) => a + b, 0);
  const rateOf = (id: string): number => of(id, 200) / Math.max(totalOf(id), 1);

  return {
    note: ({ id }, status) => counts.get(id)?.set(status, of(id, status) + 1),
    faults: () =>
      operations.flatMap((operation) => [
        ...(rateOf(operation.id) < leastSuccesses
          ? [`${operation.id}: only ${percent(rateOf(operation.id))} of its requests succeeded`]
          : []),
        ...operation.statuses
          .filter((status) => of(operation.id, status) === 0 && whyUnreachable(operation, status) === null)
          .map((status) => `${operation.id}: never answered ${status}, which it declares`),
      ]),
    table: () => {
      const statuses = [...new Set([...counts.values()].flatMap((count) => [...count.keys()]))].sort();
      const rows = operations.map(({ id }) => [
        id,
        ...statuses.map((status) => String(of(id, status) || '')),
        String(totalOf(id)),
        percent(rateOf(id)),
      ]);
      return layOut([['operation', ...statuses.map(String), 'all', '2xx'], ...rows]);
    },
  };
}

const percent = (rate: number): string => `${Math.round(rate * 100)}%`;

function layOut(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(cell).join('  ')).join('\n');
}
