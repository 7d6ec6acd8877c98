import { Value } from 'typebox/value';
import type { InputIssue } from '../../platform/http/errors.ts';
import type { ValidInput } from '../../platform/http/validation/valid-input.ts';
import { disclosureIssues } from './disclosure.ts';
import { StoredSettings, type TeamSettings } from './teams.schemas.ts';

/** Checks that the time zone and the language exist, and that a switched off notice has a reason. */
export function settingsIssues({
  timezone,
  locale,
  disclosure,
}: ValidInput<Partial<TeamSettings>>): InputIssue[] {
  const issues = disclosureIssues('settings.disclosure', disclosure);
  if (timezone !== undefined && !isTimeZone(timezone)) {
    issues.push({ path: 'settings.timezone', message: 'must be an IANA time zone, such as Europe/Lisbon' });
  }
  if (locale !== undefined && !isLocale(locale)) {
    issues.push({ path: 'settings.locale', message: 'must be a language tag, such as pt-BR' });
  }
  return issues;
}

/** Whether the API could have stored this value as the settings of a team. */
export const isStoredSettings = (value: unknown): boolean =>
  Value.Check(StoredSettings, value) && settingsIssues(value).length === 0;

/** Intl also accepts offsets such as +01:00, which are not zones. */
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
