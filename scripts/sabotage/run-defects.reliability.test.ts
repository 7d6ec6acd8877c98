import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../../server/test/test-server.ts';
import type { Defect } from './defect.ts';
import { defects } from './defects.ts';
import { type DefectResult, runDefects } from './run-defects.ts';

const tree = fileURLToPath(new URL('../..', import.meta.url));

async function resultsFor(
  root: string,
  chosen: readonly Defect[],
): Promise<Map<string, DefectResult['kind']>> {
  const server = await startTestServer();
  const results = new Map<string, DefectResult['kind']>();
  try {
    for await (const { defect, kind } of runDefects(root, chosen, { serverUrl: server.url, jobs: 1 })) {
      results.set(defect.name, kind);
    }
  } finally {
    await server.release();
  }
  return results;
}

test('catches a sample of the defects', async () => {
  const quick = ['accept-any-algorithm', 'do-not-count-failures-by-key', 'call-private-addresses'];
  const chosen = defects.filter(({ name }) => quick.includes(name));
  assert.deepEqual(await resultsFor(tree, chosen), new Map(chosen.map(({ name }) => [name, 'caught'])));
});

test('counts a defect as caught only if an assertion fails in a test that passes without it', async () => {
  const root = await smallTree({
    'sum.ts': 'export const sum = (a: number, b: number) => a + b;\n',
    'sum.test.ts': `
      import assert from 'node:assert/strict';
      import { test } from 'node:test';
      import { sum } from './sum.ts';
      test('two plus three is five', () => assert.equal(sum(2, 3), 5));
      test('zero plus zero is zero', () => assert.equal(sum(0, 0), 0));
      test('always fails', () => assert.equal(sum(2, 3), 6));`,
  });
  const defect = (name: string, replace: string, testName: string): Defect => ({
    name,
    file: 'sum.ts',
    find: 'a + b',
    replace,
    test: { file: 'sum.test.ts', name: testName },
    why: '',
  });
  const chosen = [
    defect('wrong', 'a - b', 'two plus three is five'),
    defect('wrong but not tested', 'a - b', 'zero plus zero is zero'),
    defect('syntax error', 'a +', 'zero plus zero is zero'),
    defect('without a test', 'a - b', 'no such test'),
    defect('with a failing test', 'a - b', 'always fails'),
    defect('equivalent', 'b + a', 'two plus three is five'),
  ];
  assert.deepEqual(
    [...(await resultsFor(root, chosen)).values()],
    ['caught', 'survived', 'failed otherwise', 'no baseline', 'no baseline', 'survived'],
  );
});

async function smallTree(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'parley-small-tree-'));
  after(() => rm(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return root;
}
