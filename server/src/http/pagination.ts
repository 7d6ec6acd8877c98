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

/** What a page shows of its list. The offset is at most 2^60, rounded where it is beyond every list. */
export const pageRange = ({ page, limit }: Page) => ({ limit, offset: (page - 1) * limit });

/** `totalPages` is 0 for an empty result. */
export const pageMeta = ({ page, limit }: Page, total: number): Static<typeof PageMeta> => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
});
