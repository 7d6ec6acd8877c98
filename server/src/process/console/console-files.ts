import { glob, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';

/** A file of the built console, in memory. */
export interface ConsoleFile {
  type: string;
  content: Buffer;
  brotli: Buffer | null;
  gzip: Buffer | null;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.md': 'text/plain; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

/** Reads the built console, by path. It stays in memory, so that a newer build on disk cannot mix with it. */
export async function readConsoleFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const [content, brotli, gzip] = await Promise.all([
      readFile(path),
      readFile(`${path}.br`).catch(() => null),
      readFile(`${path}.gz`).catch(() => null),
    ]);
    files.set(relative(folder, path), { type, content, brotli, gzip });
  }
  return files;
}
