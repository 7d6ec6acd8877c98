import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEnvironment } from './environment.ts';
import { runSeed } from './run-seed.ts';

const environment = await createEnvironment({ generating: true });
let failed = false;
after(() => environment.close({ keepLogs: failed }));

/** `npm run chaos -- --generating --seeds A..B` runs other seeds. */
test('loses nothing and repeats nothing when a language model answers', async () => {
  const { violations, plan } = await runSeed(environment, 1);
  failed = violations.length > 0;
  assert.deepEqual(
    violations,
    [],
    `${violations.join('\n')}\nlogs: ${environment.folder}\n${JSON.stringify({ faultPoints: plan.faultPoints, faults: plan.faults })}`,
  );
});
