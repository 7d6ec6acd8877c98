import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { startTestServer, TEST_SERVER_VARIABLE } from '../server/test/test-server.ts';
import { runChecks } from './check/run-checks.ts';
import { readOptionsAndPaths } from './command-line.ts';
import { installWhatsappPackage, type WhatsappPackage } from './whatsapp-package.ts';

/** A file that hangs fails the run instead of holding it for ever. */
const fileTimeoutMs = 10 * 60_000;

/**
 * The checks, if they are wanted, then every test (or those under the given paths) on one real PostgreSQL that is started
 * for the run. What cannot run on this machine is listed at the end with its reason.
 */
async function test(paths: readonly string[], { checks }: { checks: boolean }): Promise<boolean> {
  const files = findTests(paths);
  const whatsapp: WhatsappPackage =
    checks || files.some(isOfWhatsapp)
      ? await installWhatsappPackage()
      : { installed: false, reason: 'nothing of it is to be run' };
  const runnable = whatsapp.installed ? files : files.filter((file) => !isOfWhatsapp(file));
  const skipped = whatsapp.installed || runnable.length === files.length ? [] : [whatsapp.reason];
  const checked = !checks || (await runChecks(whatsapp));
  const server = await startTestServer();
  process.env[TEST_SERVER_VARIABLE] = server.url;
  // Each file is a process, and most load the same sources; the place is Node's own default for it.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  try {
    return (await runTests(runnable, skipped)) && checked;
  } finally {
    await server.release();
  }
}

const isOfWhatsapp = (file: string): boolean => file.startsWith('packages/whatsapp/');

function findTests(paths: readonly string[]): string[] {
  const files = globSync('{server,simulator,packages,scripts,bench}/**/*.test.ts', {
    exclude: (name) => name.includes('node_modules'),
  });
  return paths.length === 0 ? files : files.filter((file) => paths.some((path) => file.startsWith(path)));
}

async function runTests(files: string[], left: readonly string[]): Promise<boolean> {
  const skipped = [...left];
  let passed = 0;
  let failed = 0;
  const tests = run({ files, concurrency: availableParallelism(), timeout: fileTimeoutMs });
  tests.on('test:pass', ({ name, skip, details }) => {
    if (skip !== undefined) skipped.push(`${name}: ${skip === true ? 'no reason given' : skip}`);
    else if (details.type !== 'suite') passed += 1;
  });
  tests.on('test:fail', () => {
    failed += 1;
  });
  tests.compose(spec()).pipe(process.stdout, { end: false });
  await new Promise((resolve) => tests.once('end', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write(
    skipped.length === 0 ? '\nNothing was skipped.\n' : `\nSkipped:\n  ${skipped.join('\n  ')}\n`,
  );
  if (passed === 0) process.stdout.write('No test ran.\n');
  return failed === 0 && passed > 0;
}

const { values, paths } = readOptionsAndPaths('npm test [-- [--no-check] [path…]]', {
  'no-check': { type: 'boolean', default: false },
});
process.exit((await test(paths, { checks: !values['no-check'] })) ? 0 : 1);
