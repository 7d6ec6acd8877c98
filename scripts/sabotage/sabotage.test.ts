import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withDefect } from './defect.ts';
import { defects } from './defects.ts';

const tree = fileURLToPath(new URL('../..', import.meta.url));

test('every defect has exactly one place in the code and names an existing test', async () => {
  assert.equal(
    new Set(defects.map(({ name }) => name)).size,
    defects.length,
    'two defects have the same name',
  );
  for (const defect of defects) {
    withDefect(defect, await readFile(join(tree, defect.file), 'utf8'));
    const tests = await readFile(join(tree, defect.test.file), 'utf8');
    assert.ok(tests.includes(defect.test.name), `${defect.name}: no test is called ${defect.test.name}`);
  }
});
