import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { startTestServer, testServerVariable } from '../server/test/test-server.ts';
import { runChecks } from './check/run-checks.ts';
import { readOptionsAndPaths, refuseUse } from './command-line.ts';
import { slowTests } from './slow-tests.ts';
import { fileTimeoutMs } from './test-setup.ts';
import { installWhatsappPackage, type WhatsappPackage } from './whatsapp-package.ts';

const usage = 'npm test [-- [--no-check] [--reliability] [--watch] [path…]]';

/** Many fast files mostly wait, so one more than there are processors runs at a time. The slow ones start processes of their own. */
const filesAtOnce = (reliability: boolean) => availableParallelism() + (reliability ? 0 : 1);

const slowestShown = 20;

interface Options {
  checks: boolean;
  /** The tier: `*.reliability.test.ts`, or all other tests. With paths, both. */
  reliability: boolean;
  watch: boolean;
}

/** Runs the checks and the tests side by side, the tests on one PostgreSQL. Returns whether all passed. */
async function test(paths: readonly string[], { checks, reliability, watch }: Options): Promise<boolean> {
  const files = findTests(paths, reliability);
  const whatsapp: WhatsappPackage =
    checks || files.some(isOfWhatsapp)
      ? await installWhatsappPackage()
      : { installed: false, reason: 'no test of it was selected' };
  const runnable = whatsapp.installed ? files : files.filter((file) => !isOfWhatsapp(file));
  const skipped = whatsapp.installed || runnable.length === files.length ? [] : [whatsapp.reason];
  const server = await startTestServer();
  process.env[testServerVariable] = server.url;
  // Most tests compare whole answers.
  process.env['DISCLOSURE_DEFAULT'] ??= 'off';
  process.env['DISCLOSURE_OFF_REASON'] ??= 'tests';
  // Each file is a process, and most load the same sources.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  try {
    if (watch) return await watchTests(runnable);
    const [checked, tested] = await Promise.all([
      checks ? runChecks(whatsapp) : true,
      runTests(runnable, skipped, filesAtOnce(reliability)),
    ]);
    if (!checked) process.stdout.write('Checks failed: see the lines with FAIL above.\n');
    return checked && tested;
  } finally {
    await server.release();
  }
}

const isOfWhatsapp = (file: string): boolean => file.startsWith('packages/whatsapp/');

/** Longest first, so that no long file is left alone at the end. */
function findTests(paths: readonly string[], reliability: boolean): string[] {
  const files = globSync('{server,simulator,sdk,console,packages,scripts,bench}/**/*.test.ts', {
    exclude: (name) => name.includes('node_modules'),
  });
  const selected = files.filter((file) =>
    paths.length === 0
      ? file.endsWith('.reliability.test.ts') === reliability
      : paths.some((path) => file.startsWith(path)),
  );
  const rank = (file: string) => (slowTests.indexOf(file) + slowTests.length + 1) % (slowTests.length + 1);
  return selected.sort((a, b) => rank(a) - rank(b));
}

async function runTests(
  files: string[],
  unavailable: readonly string[],
  concurrency: number,
): Promise<boolean> {
  const skipped = [...unavailable];
  const durations = new Map<string, number>();
  let passed = 0;
  let failed = 0;
  const execArgv = ['--import', new URL('test-setup.ts', import.meta.url).href];
  const tests = run({ files, concurrency, timeout: fileTimeoutMs, execArgv });
  tests.on('test:pass', ({ name, skip, details }) => {
    if (skip !== undefined) skipped.push(`${name}: ${skip === true ? 'no reason given' : skip}`);
    else if (details.type !== 'suite') passed += 1;
  });
  tests.on('test:fail', () => {
    failed += 1;
  });
  tests.on('test:summary', ({ file, duration_ms: ms }) => {
    if (file !== undefined) durations.set(relative(process.cwd(), file), ms);
  });
  tests.compose(spec()).pipe(process.stdout, { end: false });
  await new Promise((resolve) => tests.once('end', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write(`\n${formatSlowest(durations)}\n`);
  process.stdout.write(
    skipped.length === 0 ? 'Nothing was skipped.\n' : `Skipped:\n  ${skipped.join('\n  ')}\n`,
  );
  if (passed === 0) process.stdout.write('No test ran.\n');
  return failed === 0 && passed > 0;
}

function formatSlowest(durations: ReadonlyMap<string, number>): string {
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, slowestShown);
  const lines = slowest.map(([file, ms]) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
  return ['Slowest files:', ...lines].join('\n');
}

/** Runs the files whenever they or their imports change, until the process is interrupted. */
async function watchTests(files: string[]): Promise<boolean> {
  const interrupted = new Promise((resolve) => process.once('SIGINT', resolve));
  run({ files, watch: true }).compose(spec()).pipe(process.stdout, { end: false });
  await interrupted;
  return true;
}

const { values, paths } = readOptionsAndPaths(usage, {
  'no-check': { type: 'boolean', default: false },
  reliability: { type: 'boolean', default: false },
  watch: { type: 'boolean', default: false },
});
if (values.watch && paths.length === 0) refuseUse(usage, '--watch needs the path of a test file');
const { reliability, watch } = values;
const checks = !values['no-check'] && !reliability && !watch;
process.exit((await test(paths, { checks, reliability, watch })) ? 0 : 1);
