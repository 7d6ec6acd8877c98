import { createHash } from 'node:crypto';
import { chmod, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The folder with the built console. */
export const builtConsole = join(root, 'dist');

/** The program that builds the console, for a process of its own. */
export const consoleBuildProgram = fileURLToPath(import.meta.url);

/** Names the sources that a build was made from. */
const stampFile = 'build-stamp';

const compressible = /\.(js|css|html|svg|md)$/;

/** Returns true if the built console belongs to the present sources. */
export async function isConsoleBuilt(): Promise<boolean> {
  const stamp = await readFile(join(builtConsole, stampFile), 'utf8').catch(() => null);
  return stamp !== null && stamp === (await hashSources());
}

async function hashSources(): Promise<string> {
  const patterns = ['src/**', 'public/*', 'index.html', '*.ts', '../package-lock.json', '../sdk/src/**'];
  const files: string[] = [];
  for await (const entry of glob(patterns, { cwd: root, withFileTypes: true }))
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${relative(root, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

/** Builds the console unless it is up to date. Other processes never see half a build. */
export async function buildConsole(): Promise<void> {
  if (await isConsoleBuilt()) return;
  const stamp = await hashSources();
  // Otherwise the bundle would have the development build of React when an operator or a test sets another value.
  process.env['NODE_ENV'] = 'production';
  const { build } = await import('vite');
  const folder = await mkdtemp(join(dirname(builtConsole), 'dist-'));
  try {
    await build({ root, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
    await build(widgetOf(folder));
    await compressFiles(folder);
    await writeFile(join(folder, stampFile), stamp);
    // Only its owner may enter a folder of mkdtemp, but the service may run under another account.
    await chmod(folder, 0o755);
    // A server may be reading the build of another process already.
    if (await isConsoleBuilt()) return await rm(folder, { recursive: true, force: true });
    await rm(builtConsole, { recursive: true, force: true });
    await rename(folder, builtConsole);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // Another process may have put its build of the same sources in place first.
    if (!(await isConsoleBuilt())) throw error;
  }
}

/** The script of the chat on websites: one file without modules, because pages of others load it. */
const widgetOf = (outDir: string) => ({
  root,
  configFile: false as const,
  logLevel: 'warn' as const,
  publicDir: false as const,
  build: {
    outDir,
    emptyOutDir: false,
    target: 'es2022',
    lib: {
      entry: join(root, 'src/widget/widget.ts'),
      formats: ['iife' as const],
      name: 'parleyChat',
      fileName: () => 'widget.js',
    },
  },
});

async function compressFiles(folder: string): Promise<void> {
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile() || !compressible.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}

if (import.meta.main) await buildConsole();
