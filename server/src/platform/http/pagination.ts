import { type Static, Type } from 'typebox';
import { Timestamp } from './fields.ts';

export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
};

/** For lists to which new objects are added often. */
export const cursorQuery = {
  ...pageQuery,
  since: Type.Optional(Timestamp({ 'x-extension': true, description: 'Created at this time or later.' })),
  until: Type.Optional(Timestamp({ 'x-extension': true, description: 'Created before this time.' })),
  after: Type.Optional(
    Type.String({
      pattern: '^([0-9]{1,13}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$',
      'x-pattern-means': 'must be empty or a next_cursor of this list',
      'x-extension': true,
      description:
        'Empty for the first page, then `meta.next_cursor` of the page before. Unlike `page`, it neither repeats nor skips objects when others are created or deleted meanwhile. `page` then has no effect.',
    }),
  ),
};

export const PageMeta = Type.Object(
  {
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
    totalPages: Type.Integer(),
    next_cursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        'x-extension': true,
        description:
          'Present with `after`. Null after the last page. If the last page is full, the next one is empty.',
      }),
    ),
  },
  { title: 'PageMeta' },
);

export interface Page {
  page: number;
  limit: number;
  after?: string;
}

/** A position in a list that is sorted by a time (by default, that of creation) and id, newest first. */
export interface Position {
  time: Date;
  id: string;
}

interface PageRange {
  limit: number;
  offset: number;
  after: Position | null;
}

/** The offset is at most 2^60. Rounding above 2^53 does no harm. */
export const pageRange = ({ page, limit, after }: Page): PageRange => ({
  limit,
  offset: after === undefined ? (page - 1) * limit : 0,
  after: after === undefined || after === '' ? null : readCursor(after),
});

/** The schema has checked the form. */
function readCursor(cursor: string): Position {
  const separator = cursor.indexOf('-');
  return { time: new Date(Number(cursor.slice(0, separator))), id: cursor.slice(separator + 1) };
}

interface Listed {
  id: string;
  created_at: Date | string;
}

/** The cursor of the next page comes from `rows`, those of this page. `timeOf` returns the time that the list is sorted by. */
export const pageMeta = <Row extends Listed>(
  { page, limit, after }: Page,
  total: number,
  rows: readonly Row[] = [],
  timeOf: (row: Row) => Date | string = ({ created_at: createdAt }) => createdAt,
): Static<typeof PageMeta> => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
  ...(after === undefined ? {} : { next_cursor: nextCursor(rows, limit, timeOf) }),
});

function nextCursor<Row extends Listed>(
  rows: readonly Row[],
  limit: number,
  timeOf: (row: Row) => Date | string,
): string | null {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return null;
  return `${new Date(timeOf(last)).getTime()}-${last.id}`;
}
