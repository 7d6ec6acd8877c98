import { readFileSync } from 'node:fs';

interface LockedPackage {
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** Permissive licences: Parley may be distributed together with these packages under its own licence. */
const allowed = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'PostgreSQL',
  'Python-2.0',
  'Zlib',
  // Fonts that may be embedded.
  'OFL-1.1',
]);

/** Packages whose manifest names their licence inexactly. */
const exact: Readonly<Record<string, string>> = { duck: 'BSD-2-Clause' };

/** It builds the style sheet of the console. Its licence covers changes to its own files only. */
const buildTool = /^lightningcss/;

/** Its licence covers changes to its own files only, and Parley changes none. */
const unchanged = new Set(['web-push']);

/** Returns a line for each package that is installed in production under another licence. */
export function findOtherLicences(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages).flatMap(([path, { license, dev, link }]) => {
    const name = path.split('node_modules/').at(-1) ?? path;
    if (!path.includes('node_modules/') || dev === true || link === true) return [];
    const licence = exact[name] ?? license ?? 'no licence';
    return isAllowed(licence) || buildTool.test(name) || unchanged.has(name)
      ? []
      : [`${name} is under ${licence}: use another package, or keep it optional`];
  });
}

/** A choice is allowed if one of its licences is; a combination only if all are. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.has(licence)));

if (import.meta.main) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const found = findOtherLicences(packages);
  process.stdout.write(found.map((line) => `${line}\n`).join(''));
  process.exit(found.length === 0 ? 0 : 1);
}
