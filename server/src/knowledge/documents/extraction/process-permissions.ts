import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraries = [
  'pdfjs-dist',
  'saxes',
  'dingbat-to-unicode',
  'yauzl',
  'csv-parse',
  'htmlparser2',
  'micromark',
  'micromark-extension-gfm-table',
  'numfmt',
];

/** The files and folders that the process reads. */
export const readablePaths: readonly string[] = findReadablePaths();

/** Allows the process to read this program and its libraries, and to start one thread for its guard. */
export const processPermissions: readonly string[] = [
  '--permission',
  '--allow-worker',
  '--disable-warning=SecurityWarning',
  ...readablePaths.map((path) => `--allow-fs-read=${path.endsWith('.json') ? path : join(path, '*')}`),
];

function findReadablePaths(): string[] {
  const documents = fileURLToPath(new URL('..', import.meta.url));
  const folders = new Set([documents]);
  for (const library of libraries) {
    const manifest = findPackageJSON(library, import.meta.url);
    if (manifest !== undefined) folders.add(dirname(dirname(manifest)));
  }
  const ownManifest = findPackageJSON('..', import.meta.url);
  return [...folders, ...(ownManifest === undefined ? [] : [ownManifest])];
}
