import { readFile } from 'node:fs/promises';

/** A release in CHANGELOG.md. */
export interface Release {
  version: string;
  date: string;
}

/** Returns the newest release of a changelog, or null before the first. */
export function findLastRelease(changelog: string): Release | null {
  const [, version, date] = /^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$/m.exec(changelog) ?? [];
  return version === undefined || date === undefined ? null : { version, date };
}

export const readLastRelease = async (): Promise<Release | null> =>
  findLastRelease(await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'));
