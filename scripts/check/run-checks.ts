import { spawn } from 'node:child_process';
import type { WhatsappPackage } from '../whatsapp-package.ts';

/** One step of `npm run check`: a command that exits with 0 on success. */
interface Check {
  name: string;
  command: string;
  args: readonly string[];
}

const node = process.execPath;

/** Checks again only what changed since the last time. */
const checkTypes = (project: string, name: string): string[] => [
  ...['-p', project, '--noEmit', '--incremental'],
  ...['--tsBuildInfoFile', `node_modules/.cache/types/${name}.tsbuildinfo`],
];

/** Includes packages/whatsapp. */
const types: Check = { name: 'types', command: 'tsc', args: checkTypes('.', 'all') };

const checks: readonly Check[] = [
  {
    name: 'format and lint',
    command: 'biome',
    args: ['ci', '--error-on-warnings', '--reporter=summary', '.'],
  },
  { name: 'types of console', command: 'tsc', args: checkTypes('console', 'console') },
  { name: 'types of the SDK without Node', command: 'tsc', args: ['-p', 'sdk', '--noEmit'] },
  { name: 'generated files', command: node, args: ['scripts/generate.ts', '--check'] },
  { name: 'boundaries', command: node, args: ['scripts/check/boundaries.ts'] },
  { name: 'dead code', command: 'knip', args: ['--no-progress'] },
  {
    name: 'OpenAPI document',
    command: 'redocly',
    args: ['lint', 'openapi.json', '--extends=recommended-strict', '--max-problems=50'],
  },
  { name: 'packages', command: node, args: ['scripts/check/packages.ts'] },
  { name: 'licences', command: node, args: ['scripts/check/licences.ts'] },
  { name: 'known problems of packages', command: node, args: ['scripts/check/advisories.ts'] },
  { name: 'documents', command: node, args: ['scripts/check/documents.ts'] },
  { name: 'prose', command: node, args: ['scripts/check/prose.ts'] },
];

/** Runs every check, two at a time, and prints the failures. Returns true if all passed. */
export async function runChecks(whatsapp: WhatsappPackage): Promise<boolean> {
  // The longest check begins first.
  const waiting = whatsapp.installed ? [types, ...checks] : [...checks];
  if (!whatsapp.installed) process.stdout.write(`skip ${types.name}: ${whatsapp.reason}\n`);
  let passed = true;
  const work = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      if (!(await runCheck(check))) passed = false;
    }
  };
  await Promise.all([work(), work()]);
  return passed;
}

async function runCheck({ name, command, args }: Check): Promise<boolean> {
  const started = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}
