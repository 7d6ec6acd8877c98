/** The form of RFC 3339, without leap seconds and the year 0. PostgreSQL rejects offsets of 16 hours or more. */
const form =
  /^((?!0000)\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,30})?([Zz]|[+-](0\d|1[0-5]):?[0-5]\d)$/;

export const dateTimeMeans =
  'must be a date with a time and an offset, like 2026-11-23T17:00:00Z (years 1 to 9999, offsets below 16 hours)';

/** Returns whether both PostgreSQL and `Date` can read the time. */
export function isDateTime(text: string): boolean {
  const [, date] = form.exec(text) ?? [];
  if (date === undefined) return false;
  // `Date` turns February 30 into March.
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
