import { type Static, Type } from 'typebox';

/** `page` and `limit` of every list. Spread into a list's query schema. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
};

export const PageMeta = Type.Object(
  { page: Type.Integer(), limit: Type.Integer(), total: Type.Integer(), totalPages: Type.Integer() },
  { title: 'PageMeta' },
);

export interface Page {
  page: number;
  limit: number;
}

/** Of the rows before the page: at most 2^60, rounded where it is beyond every list. */
export const offsetOf = ({ page, limit }: Page): number => (page - 1) * limit;

/** What a page shows of its list. */
export const stretchOf = (page: Page) => ({ limit: page.limit, offset: offsetOf(page) });

/** `totalPages` is 0 for an empty result. */
export const pageMeta = ({ page, limit }: Page, total: number): Static<typeof PageMeta> => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
});
