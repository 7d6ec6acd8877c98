import { takeStart } from '../platform/shared/cut-text.ts';
import { findSimilar } from '../platform/shared/similar-text.ts';
import { entries } from './config-entries.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Appends the value, unless the message begins with it or it is a secret. */
export function describeProblem(name: string, given: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (isSecret(name)) return message;
  const shown = takeStart(hideCredentials(given), 100);
  return shown === '' || message.startsWith(`${shown} `)
    ? message
    : `${message}, not ${JSON.stringify(shown)}`;
}

const isSecret = (name: string): boolean => /_(KEY|TOKEN|SECRET|HEADERS)$/.test(name);

/** Variables that are secrets or, like addresses, may contain one. Each can also be in a file that `NAME_FILE` names. */
export const secretNames: readonly string[] = Object.keys(entries).filter(
  (name) => isSecret(name) || name.endsWith('_URL'),
);

export const fileVariable = (name: string): string => `${name}_FILE`;

const settableNames = (): string[] => [...Object.keys(entries), ...secretNames.map(fileVariable)];

/** Removes the user, the password and the query of a URL. */
function hideCredentials(value: string): string {
  const start = value.indexOf('//');
  const end = value.lastIndexOf('@');
  const shown = start >= 0 && end > start ? `${value.slice(0, start)}//***${value.slice(end)}` : value;
  return shown.replace(/\?.*/s, '?***');
}

/** Returns the variables of Parley that are set, with their values. Secrets are masked. */
export function describeSettings(environment: Environment): [name: string, value: string][] {
  return settableNames().flatMap((name): [string, string][] => {
    const given = environment[name]?.trim() ?? '';
    return given === '' ? [] : [[name, isSecret(name) ? '(a secret)' : hideCredentials(given)]];
  });
}

/** Variables of other programs that resemble ours. */
const otherPrograms: ReadonlySet<string> = new Set(['HOSTS', 'POST']);

/** Returns unknown variables whose names resemble one of ours. */
export function findMisspelled(environment: Environment): { given: string; meant: string }[] {
  const names = settableNames();
  return Object.keys(environment).flatMap((given) => {
    if (names.includes(given) || otherPrograms.has(given)) return [];
    const meant = findSimilar(given.toUpperCase(), names);
    return meant === null ? [] : [{ given, meant }];
  });
}
