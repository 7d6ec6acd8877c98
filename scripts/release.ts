import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { readOptions, refuseUse } from './command-line.ts';
import { releaseNotes } from './release/release-notes.ts';

const usage = 'npm run release -- --version 0.2.0 [--tag]';
const { version = '', tag } = readOptions(usage, {
  version: { type: 'string' },
  /** Commits the version and tags it. Otherwise nothing is committed. */
  tag: { type: 'boolean', default: false },
});
if (!/^\d+\.\d+\.\d+$/.test(version)) refuseUse(usage, `--version must be three numbers, not "${version}"`);

const manifests = ['package.json', 'server/package.json', 'simulator/package.json'];
const folder = 'release';

/**
 * Writes the package, its list of components (SBOM) and their checksums to `release/`. They depend only on the commit, so that a
 * build elsewhere can be compared with them (provenance).
 */
async function release(): Promise<void> {
  const changes = git('status', '--porcelain');
  if (changes !== '') refuseUse(usage, `Commit these changes first:\n${changes}`);
  const changelog = releaseNotes(
    await readFile('CHANGELOG.md', 'utf8'),
    version,
    new Date().toISOString().slice(0, 10),
  );
  await writeFile('CHANGELOG.md', changelog.text);
  for (const path of manifests) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/"version": "[^"]+"/, `"version": "${version}"`));
  }
  run('npm', ['install', '--package-lock-only']);
  await mkdir(folder, { recursive: true });
  run('npm', ['pack', '--pack-destination', folder]);
  const sbom = execFileSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
    },
  );
  await writeFile(`${folder}/parley-${version}.cdx.json`, sbom);
  await writeFile(`${folder}/notes.md`, changelog.notes);
  const files = [`parley-${version}.tgz`, `parley-${version}.cdx.json`];
  const sums = await Promise.all(
    files.map(async (name) => `${await checksum(`${folder}/${name}`)}  ${name}\n`),
  );
  await writeFile(`${folder}/SHA256SUMS`, sums.join(''));
  if (!tag) return;
  git('commit', '--all', '--message', `Release ${version}`, '--message', 'CHANGELOG.md lists the changes.');
  git('tag', '--annotate', `v${version}`, '--message', `Parley ${version}`);
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const run = (command: string, args: string[]): void => void execFileSync(command, args, { stdio: 'inherit' });

const checksum = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

await release();
