import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { key, startTestService } from './service.ts';

const run = promisify(execFile);
const sdk = fileURLToPath(new URL('..', import.meta.url));
const root = join(sdk, '..');
const maxBytes = 8 * 1024;

// In the repository, where the types of Node are, but outside sdk/, which would import itself.
const project = mkdtempSync(join(root, '.sdk-examples-'));
after(() => rmSync(project, { recursive: true, force: true }));
const installed = join(project, 'node_modules/@parley/sdk');
mkdirSync(installed, { recursive: true });
await run(process.execPath, [join(sdk, 'scripts/build.ts'), installed]);

const readInstalled = (pattern: string) =>
  globSync(pattern, { cwd: installed }).map((name) => readFileSync(join(installed, name), 'utf8'));

test('the package without types is at most 8 KB gzipped', (t) => {
  const bytes = gzipSync(readInstalled('*.js').join('\n'), { level: 9 }).length;
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes <= maxBytes, `${bytes} bytes`);
});

test('the package uses web standards only', () => {
  const source = readInstalled('*.js').join('\n');
  const imported = [...source.matchAll(/\bfrom\s+['"]([^'"]+)['"]/g)].map(([, name = '']) => name);
  assert.ok(imported.length > 0);
  assert.deepEqual(
    imported.filter((name) => !name.startsWith('./')),
    [],
  );
  assert.doesNotMatch(source, /\b(process|Buffer|require|__dirname|Deno|Bun|window)\b[.([]/);
});

test('the examples of the README compile and run with the built package', async () => {
  const baseUrl = await startTestService();
  const examples = readExamples(baseUrl);
  writeFileSync(join(project, 'examples.ts'), examples);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(compilerOptions));
  cpSync(join(root, 'scripts/demo/documents/handbook.pdf'), join(project, 'handbook.pdf'));

  await run(join(root, 'node_modules/.bin/tsc'), ['-p', project], { cwd: project }).catch((error) =>
    assert.fail(error.stdout),
  );
  const { stdout } = await run(process.execPath, ['examples.ts'], { cwd: project });

  assert.match(stdout, /Yes, a helmet is included with every bike\./);
  assert.match(stdout, /^handbook\.pdf$/m);
  assert.match(stdout, /^version 1 is live/m);
  assert.match(stdout, /bot_id must be the id of a bot/);
  assert.match(stdout, /^true$/m);
});

const compilerOptions = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  include: ['examples.ts'],
};

/** Returns one program of all examples. It ends itself, although the last example listens. */
function readExamples(baseUrl: string): string {
  const readme = readFileSync(join(sdk, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  assert.ok(blocks.length >= 8);
  return `${blocks.join('\n')}\nreceiver.close();\n`
    .replaceAll('http://127.0.0.1:3000', baseUrl)
    .replace('pk_…', key.key_id)
    .replace('sk_…', key.key_secret)
    .replace('receiver.listen(8080)', "receiver.listen(0, '127.0.0.1')");
}
