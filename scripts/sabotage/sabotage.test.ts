import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../../server/test/test-server.ts';
import { commitSabotage, type Verdict } from './commit-sabotage.ts';
import { type Defect, withDefect } from './defect.ts';
import { defects } from './defects.ts';

const tree = fileURLToPath(new URL('../..', import.meta.url));

async function judged(root: string, chosen: readonly Defect[]): Promise<Map<string, Verdict['kind']>> {
  const server = await startTestServer();
  const verdicts = new Map<string, Verdict['kind']>();
  try {
    for await (const { defect, kind } of commitSabotage(root, chosen, { serverUrl: server.url, jobs: 1 })) {
      verdicts.set(defect.name, kind);
    }
  } finally {
    await server.release();
  }
  return verdicts;
}

test('every defect has exactly one place in the code, and a test of the name that is to notice it', async () => {
  assert.equal(new Set(defects.map(({ name }) => name)).size, defects.length, 'two have the same name');
  for (const defect of defects) {
    withDefect(defect, await readFile(join(tree, defect.file), 'utf8'));
    const tests = await readFile(join(tree, defect.test.file), 'utf8');
    assert.ok(tests.includes(defect.test.name), `${defect.name}: no test is called ${defect.test.name}`);
  }
});

test('some of the defects are caught here and now', async () => {
  const quick = ['accept-any-algorithm', 'cut-a-paragraph-off', 'call-private-addresses'];
  const chosen = defects.filter(({ name }) => quick.includes(name));
  assert.deepEqual(await judged(tree, chosen), new Map(chosen.map(({ name }) => [name, 'caught'])));
});

test('a defect is caught by an assertion alone, in a test that is green without it', async () => {
  const root = await smallTree({
    'sum.ts': 'export const sum = (a: number, b: number) => a + b;\n',
    'sum.test.ts': `
      import assert from 'node:assert/strict';
      import { test } from 'node:test';
      import { sum } from './sum.ts';
      test('two and three are five', () => assert.equal(sum(2, 3), 5));
      test('nothing is nothing', () => assert.equal(sum(0, 0), 0));
      test('is red anyway', () => assert.equal(sum(2, 3), 6));`,
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
    defect('wrong', 'a - b', 'two and three are five'),
    defect('wrong, unseen', 'a - b', 'nothing is nothing'),
    defect('not even code', 'a +', 'nothing is nothing'),
    defect('of no test', 'a - b', 'no such test'),
    defect('of a red test', 'a - b', 'is red anyway'),
    defect('right again', 'b + a', 'two and three are five'),
  ];
  assert.deepEqual(
    [...(await judged(root, chosen)).values()],
    ['caught', 'survived', 'failed otherwise', 'idle', 'idle', 'survived'],
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
