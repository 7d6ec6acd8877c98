import type { Locale } from './locales.ts';

export interface Formats {
  number(value: number): string;
  /** 1 536 becomes "1.5 kB". */
  bytes(value: number): string;
  percent(share: number): string;
  /** "2026-11" becomes "November 2026". */
  month(month: string): string;
  date(timestamp: string): string;
  /** "2026-11-23" becomes "Nov 23". */
  day(day: string): string;
  dateTime(timestamp: string): string;
  time(timestamp: string): string;
  /** "3 minutes ago", from `now` in milliseconds. */
  ago(timestamp: string, now?: number): string;
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function createFormats(locale: Locale): Formats {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, options);
    return (timestamp: string) => formatter.format(new Date(timestamp));
  };
  // Keeps digits of small amounts: the cost of an answer may be 0.00045.
  const numbers = new Intl.NumberFormat(locale, {
    maximumFractionDigits: 3,
    maximumSignificantDigits: 3,
    roundingPriority: 'morePrecision',
  });
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return {
    number: (value) => numbers.format(value),
    bytes(value) {
      const step = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
      const unit = byteUnits[step] ?? 'byte';
      const scaled = value / 1000 ** step;
      return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        // The short unit of one byte has no plural.
        unitDisplay: unit === 'byte' ? 'long' : 'short',
        maximumFractionDigits: scaled < 10 && step > 0 ? 1 : 0,
      }).format(scaled);
    },
    percent: (share) => percents.format(share),
    month: format({ month: 'long', year: 'numeric', timeZone: 'UTC' }),
    date: format({ dateStyle: 'medium' }),
    day: format({ month: 'short', day: 'numeric', timeZone: 'UTC' }),
    dateTime: format({ dateStyle: 'medium', timeStyle: 'short' }),
    time: format({ timeStyle: 'short' }),
    ago(timestamp, now = Date.now()) {
      const seconds = Math.round((new Date(timestamp).getTime() - now) / 1000);
      const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
      return relative.format(Math.trunc(seconds / size), unit);
    },
  };
}
