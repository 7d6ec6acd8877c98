/** Injected so that tests can change the month. Leases use the database's clock instead. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Returns the first day of the UTC month of `time`, like `2026-11-01`. */
export const toMonth = (time: Date): string => `${time.toISOString().slice(0, 7)}-01`;

/** Returns the beginning of the UTC month after `time`. */
export const startOfNextMonth = (time: Date): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1));
