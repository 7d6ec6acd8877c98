import type { ActivityHour } from '@parley/sdk';

const shownHours = 24;

/**
 * Replaces known hours by fresh ones. Returns null if the last known hour is not among the fresh ones: its figures are old
 * then, and hours after it may be missing.
 */
export function mergeHours(
  known: readonly ActivityHour[],
  fresh: readonly ActivityHour[],
): ActivityHour[] | null {
  const times = new Set(fresh.map(({ hour }) => hour));
  const last = known.at(-1);
  if (last === undefined || !times.has(last.hour)) return null;
  return [...known.filter(({ hour }) => !times.has(hour)), ...fresh].slice(-shownHours);
}
