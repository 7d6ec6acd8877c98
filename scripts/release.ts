import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { readOptions, refuseUse } from './command-line.ts';
import { releaseNotes } from './release/release-notes.ts';

const usage = 'npm run release -- --version 0.2.0 [--tag]';
const { version = '', tag } = readOptions(usage, {
  version: { type: 'string' },
  /** Commits the version, tags it, and begins the next one. Otherwise nothing is committed. */
  tag: { type: 'boolean', default: false },
});
if (!/^\d+\.\d+\.\d+$/.test(version)) refuseUse(usage, `--version must be three numbers, not "${version}"`);

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
  await replaceIn('deploy/kubernetes/kustomization.yaml', /newTag: .+/, `newTag: ${version}`);
  await writeVersion(version);
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
  commit(`Release ${version}`, 'CHANGELOG.md lists the changes.');
  git('tag', '--annotate', `v${version}`, '--message', `Parley ${version}`);
  const [major, minor] = version.split('.').map(Number);
  const next = `${major}.${Number(minor) + 1}.0`;
  await writeVersion(`${next}-dev`);
  commit(`Begin version ${next}`, `It is ${next}-dev until its release.`);
}

/** Writes the version of every package of this project, and of the lock files. */
async function writeVersion(of: string): Promise<void> {
  for (const path of git('ls-files', 'package.json', '*/package.json').split('\n'))
    await replaceIn(path, /"version": "[^"]+"/, `"version": "${of}"`);
  run('npm', ['install', '--package-lock-only']);
  run('npm', ['install', '--package-lock-only', '--prefix', 'packages/whatsapp']);
}

async function replaceIn(path: string, pattern: RegExp, text: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(pattern, text));
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const commit = (subject: string, body: string): string =>
  git('commit', '--all', '--message', subject, '--message', body);
const run = (command: string, args: string[]): void => void execFileSync(command, args, { stdio: 'inherit' });

const checksum = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

await release();
