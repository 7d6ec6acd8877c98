import { type Static, Type } from 'typebox';

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

/** The offset is at most 2^60. Rounding above 2^53 does no harm. */
export const pageRange = ({ page, limit }: Page) => ({ limit, offset: (page - 1) * limit });

export const pageMeta = ({ page, limit }: Page, total: number): Static<typeof PageMeta> => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
});
