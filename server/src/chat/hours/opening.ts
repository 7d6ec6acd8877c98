import { type Hours, weekdays } from './hours.schemas.ts';

/** Returns whether a team is open. Times are those of the clocks in `timeZone`. Null: always. */
export function isOpen(hours: Hours | null, now: Date, timeZone: string): boolean {
  if (hours === null) return true;
  const { date, time } = localTime(now, timeZone);
  const weekday = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? 'sunday';
  const times = hours.exceptions.find((exception) => exception.date === date)?.times ?? hours.week[weekday];
  return times.some(({ from, until }) => from <= time && time < until);
}

/** Returns what the clocks in `timeZone` show. */
export function localTime(now: Date, timeZone: string): { date: string; time: string } {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const part = (type: string) => parts.get(type as Intl.DateTimeFormatPartTypes) ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
  };
}
