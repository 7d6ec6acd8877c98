import { existsSync } from 'node:fs';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { buildPackage } from './package/build-package.ts';
import { type Manifest, packagedManifest } from './package/packaged-manifest.ts';
import { shrinkwrap } from './package/shrinkwrap.ts';

/**
 * npm runs this around `npm pack`: `prepack` builds the package and puts its manifest and README in the place of this project's,
 * and `postpack` puts the project's own back.
 */
const manifest = 'package.json';
const readme = 'README.md';
const locked = 'npm-shrinkwrap.json';
const savedAs = (file: string): string => `${file}.before-pack`;

const read = async (path: string): Promise<Manifest> => JSON.parse(await readFile(path, 'utf8'));

async function restore(): Promise<void> {
  for (const file of [manifest, readme]) {
    // An interrupted npm pack left it.
    if (existsSync(savedAs(file))) await rename(savedAs(file), file);
  }
  await rm(locked, { force: true });
}

async function prepare(): Promise<void> {
  await restore();
  await buildPackage();
  const text = await readFile(manifest, 'utf8');
  const packaged = packagedManifest(JSON.parse(text), [
    await read('server/package.json'),
    await read('simulator/package.json'),
  ]);
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8'));
  await writeFile(locked, JSON.stringify(shrinkwrap(lock, packaged), null, 2));
  await writeFile(savedAs(manifest), text);
  await writeFile(manifest, `${JSON.stringify(packaged, null, 2)}\n`);
  await rename(readme, savedAs(readme));
  await copyFile('scripts/package/README.md', readme);
}

await (process.argv[2] === 'restore' ? restore() : prepare());
