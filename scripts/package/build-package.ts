import { execFileSync } from 'node:child_process';
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { buildConsole, builtConsole } from '@parley/console';

const target = 'build';
const sources = ['server/src', 'simulator/src', 'scripts/demo'];
const manifests = [
  'server/package.json',
  'simulator/package.json',
  'sdk/package.json',
  // For an operator who installs the adapter's dependencies.
  'packages/whatsapp/package.json',
  'packages/whatsapp/package-lock.json',
];

/**
 * Compiles the program into `build/`, in the same tree as the sources, with the files that it reads. Node does not run TypeScript
 * below node_modules.
 */
export async function buildPackage(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  const workspaces = new Map(
    (await Promise.all(['server', 'simulator', 'sdk', 'console'].map(readExports))).flat(),
  );
  for await (const path of glob(`${target}/**/*.js`)) await finish(path, workspaces);
  for await (const path of glob(sources.map((folder) => `${folder}/**/*.*`))) {
    if (!path.endsWith('.ts')) await cp(path, join(target, path));
  }
  for (const path of [...manifests, 'server/migrations', 'server/schema/functions'])
    await cp(path, join(target, path), { recursive: true });
  await writeFile(join(target, 'server/src/main.js'), "import '../../../bin/start.js';\n");
  await addConsole();
}

/** Returns the compiled file of each export of a workspace, by its specifier. */
async function readExports(workspace: string): Promise<[specifier: string, file: string][]> {
  const { name, exports } = JSON.parse(await readFile(`${workspace}/package.json`, 'utf8'));
  const paths: Record<string, string> = typeof exports === 'string' ? { '.': exports } : exports;
  return Object.entries(paths).map(([key, path]) => [
    join(name, key),
    join(target, workspace, path.replace(/\.ts$/, '.js')),
  ]);
}

/** The compiler renames the files in imports, but not in URLs. Workspaces are parts of the package, not packages. */
async function finish(path: string, workspaces: ReadonlyMap<string, string>): Promise<void> {
  const code = await readFile(path, 'utf8');
  const finished = code
    .replaceAll(/new URL\('(\.[^']*)\.ts'/g, "new URL('$1.js'")
    .replaceAll(/from '(@parley\/[^']+)'/g, (whole, specifier: string) => {
      const file = workspaces.get(specifier);
      if (file === undefined) throw new Error(`${path}: no workspace exports ${whole}`);
      const to = relative(dirname(path), file);
      return `from '${to.startsWith('.') ? to : `./${to}`}'`;
    });
  if (finished !== code) await writeFile(path, finished);
}

/** The package contains the built console, not its sources. */
const packagedConsole = `import { fileURLToPath } from 'node:url';

export const builtConsole = fileURLToPath(new URL('./dist', import.meta.url));
export const consoleBuildProgram = '';
export const isConsoleBuilt = async () => true;
`;

async function addConsole(): Promise<void> {
  await buildConsole();
  await cp(builtConsole, join(target, 'console/dist'), { recursive: true });
  await writeFile(join(target, 'console/build.js'), packagedConsole);
}
