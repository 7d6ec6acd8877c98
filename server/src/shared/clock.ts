/** The time of day, injected so that a test can turn a month. Leases do not use it: they live on the database's clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The UTC calendar month that `time` lies in, as its first day: `2026-11-01`. */
export const toMonth = (time: Date): string => `${time.toISOString().slice(0, 7)}-01`;
