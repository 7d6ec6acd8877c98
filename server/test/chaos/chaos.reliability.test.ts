import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEnvironment } from './environment.ts';
import { runSeed } from './run-seed.ts';

/** `npm run chaos -- --seeds A..B` plays any others. */
const seeds = [1, 2, 3, 4, 5];

const stage = await createEnvironment();
let failed = false;
after(() => stage.close({ keepLogs: failed }));

for (const seed of seeds) {
  test(`whatever is killed, cut off or kept waiting, nothing is lost and nothing is done twice (seed ${seed})`, async () => {
    const { wrong, plan } = await runSeed(stage, seed);
    failed ||= wrong.length > 0;
    assert.deepEqual(
      wrong,
      [],
      `${wrong.join('\n')}\nlogs: ${stage.folder}\n${JSON.stringify({ arms: plan.faultPoints, faults: plan.faults })}`,
    );
  });
}
