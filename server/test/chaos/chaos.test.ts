import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openStage } from './environment.ts';
import { playSeed } from './play.ts';

/** `npm run chaos -- --seeds A..B` plays any others. */
const seeds = [1, 2, 3, 4, 5];

const stage = await openStage();
let failed = false;
after(() => stage.close({ keepLogs: failed }));

for (const seed of seeds) {
  test(`whatever is killed, cut off or kept waiting, nothing is lost and nothing is done twice (seed ${seed})`, async () => {
    const { wrong, plan } = await playSeed(stage, seed);
    failed ||= wrong.length > 0;
    assert.deepEqual(
      wrong,
      [],
      `${wrong.join('\n')}\nlogs: ${stage.folder}\n${JSON.stringify({ arms: plan.arms, faults: plan.faults })}`,
    );
  });
}
