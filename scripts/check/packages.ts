import { globSync, readFileSync } from 'node:fs';

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Lists the problems of the manifests, the lock files and docs/dependencies.md. */
function findProblems(): string[] {
  const reasons = readFileSync('docs/dependencies.md', 'utf8');
  const locks = ['package-lock.json', ...globSync('packages/*/package-lock.json')];
  const direct = globSync([
    'package.json',
    '{server,simulator,sdk,console}/package.json',
    'packages/*/package.json',
  ]).flatMap((path) => dependenciesOf(path));
  return [
    ...direct
      .filter(
        ({ name, version }) => !name.startsWith('@parley/') && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
      )
      .map(({ path, name, version }) => `${path}: ${name} ${version} is not an exact version`),
    ...direct
      .filter(({ name }) => !name.startsWith('@parley/') && !reasons.includes(`\`${name}\``))
      .map(({ path, name }) => `${path}: docs/dependencies.md gives no reason for \`${name}\``),
    ...locks.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/"resolved": "(https?:[^"]+)"/g)].map(
        ([, url]) => `${path} names a host: ${url}`,
      ),
    ),
  ];
}

function dependenciesOf(path: string): { path: string; name: string; version: string }[] {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  return Object.entries(all).map(([name, version]) => ({ path, name, version }));
}

const found = findProblems();
process.stdout.write(found.map((problem) => `${problem}\n`).join(''));
process.exit(found.length === 0 ? 0 : 1);
