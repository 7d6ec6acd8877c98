import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEnvironment } from './environment.ts';
import { runSeed } from './run-seed.ts';

const variants = [
  { what: 'a language model answers', options: { generating: true } },
  { what: 'a standby replaces the killed primary', options: { replicated: true } },
];

/** `npm run chaos` runs other seeds with `--generating` and `--replicated`. */
for (const { what, options } of variants) {
  test(`loses nothing and repeats nothing when ${what}`, async () => {
    const environment = await createEnvironment(options);
    const { violations, plan } = await runSeed(environment, 1);
    await environment.close({ keepLogs: violations.length > 0 });
    assert.deepEqual(
      violations,
      [],
      `${violations.join('\n')}\nlogs: ${environment.folder}\n${JSON.stringify({ faultPoints: plan.faultPoints, faults: plan.faults })}`,
    );
  });
}
