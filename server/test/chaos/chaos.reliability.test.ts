import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEnvironment } from './environment.ts';
import { runSeed } from './run-seed.ts';

/** `npm run chaos -- --seeds A..B` runs other seeds. */
const seeds = [1, 2, 3, 4, 5];

const environment = await createEnvironment({});
let failed = false;
after(() => environment.close({ keepLogs: failed }));

for (const seed of seeds) {
  test(`loses nothing and repeats nothing under kills, cut connections and pauses (seed ${seed})`, async () => {
    const { violations, plan } = await runSeed(environment, seed);
    failed ||= violations.length > 0;
    assert.deepEqual(
      violations,
      [],
      `${violations.join('\n')}\nlogs: ${environment.folder}\n${JSON.stringify({ faultPoints: plan.faultPoints, faults: plan.faults })}`,
    );
  });
}
