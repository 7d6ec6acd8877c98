import type { InputIssue } from '../http/errors.ts';
import type { ValidInput } from '../http/validation/valid-input.ts';
import type { TeamSettings } from './teams.schemas.ts';

/** What a schema cannot tell: whether the names stand for a time zone and a language that exist. */
export function settingsIssues({ timezone, locale }: ValidInput<Partial<TeamSettings>>): InputIssue[] {
  const issues: InputIssue[] = [];
  if (timezone !== undefined && !isTimeZone(timezone)) {
    issues.push({ path: 'settings.timezone', message: 'must be an IANA time zone, as Europe/Lisbon' });
  }
  if (locale !== undefined && !isLocale(locale)) {
    issues.push({ path: 'settings.locale', message: 'must be a language tag, as pt-BR' });
  }
  return issues;
}

/** An offset such as +01:00 is known to Intl too, but is no zone. */
const isTimeZone = (name: string): boolean =>
  /^[A-Za-z]/.test(name) && isAccepted(() => new Intl.DateTimeFormat('en', { timeZone: name }));

const isLocale = (tag: string): boolean => isAccepted(() => Intl.getCanonicalLocales(tag));

function isAccepted(construct: () => unknown): boolean {
  try {
    construct();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
