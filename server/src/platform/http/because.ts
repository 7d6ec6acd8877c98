import type { TProperties } from 'typebox';

/** `details` are the members beside `reason`. */
export const because = <Status extends number, Details extends TProperties = Record<never, never>>(
  status: Status,
  meaning: string,
  fix: string,
  details?: Details,
) => ({
  status,
  meaning,
  fix,
  // Without the argument, `Details` is the empty default.
  details: details ?? ({} as Details),
});

export const retryAfter = 'Wait for the seconds in `Retry-After`, then retry.';
