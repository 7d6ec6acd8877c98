import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { describeMachine } from '../bench/rig/machine.ts';
import { waitForStopSignal } from '../server/src/shared/signals.ts';
import { createEnvironment, type Environment } from '../server/test/chaos/environment.ts';
import { formatResults, listHits } from '../server/test/chaos/format-results.ts';
import { type Outcome, runSeed } from '../server/test/chaos/run-seed.ts';
import { readOptions, refuseUse } from './command-line.ts';

const usage = 'npm run chaos -- [--seeds A..B] [--output file] [--verbose]';
const values = readOptions(usage, {
  seeds: { type: 'string', default: '1..5' },
  /** Where to write the table, if anywhere; a run that is interrupted leaves it as far as it came. */
  output: { type: 'string' },
  verbose: { type: 'boolean', default: false },
});

/**
 * Plays the seeds one after the other, and writes the table after each. The seeds after one that failed have a stage of
 * their own; its logs stay, and `--seeds N..N` plays the same schedule again. Told to stop, it ends all that it has
 * started and answers the signal.
 */
async function chaos(seeds: readonly number[]): Promise<readonly Outcome[] | NodeJS.Signals> {
  const outcomes: Outcome[] = [];
  let stage: Environment | null = null;
  const toldToStop = waitForStopSignal();
  try {
    for (const seed of seeds) {
      stage ??= await createEnvironment();
      const outcome = await Promise.race([toldToStop, runSeed(stage, seed)]);
      if (typeof outcome === 'string') return outcome;
      outcomes.push(outcome);
      tell(outcome);
      await write(outcomes);
      if (outcome.wrong.length === 0) continue;
      console.log(`  the logs are in ${stage.folder}`);
      await stage.close({ keepLogs: true });
      stage = null;
    }
  } finally {
    await stage?.close({ keepLogs: false });
  }
  return outcomes;
}

function tell(outcome: Outcome): void {
  const { plan, wrong, recoveryMs, elapsedMs } = outcome;
  const times = `${(elapsedMs / 1000).toFixed(1)} s, at rest after ${(recoveryMs / 1000).toFixed(1)} s`;
  console.log(
    `seed ${plan.seed}: ${wrong.length === 0 ? 'green' : 'RED'}, ${times}; ${listHits(outcome).join(' ')}`,
  );
  if (values.verbose) console.log(`  last at rest: ${outcome.lastActive.slice(0, 400)}`);
  if (wrong.length === 0 && !values.verbose) return;
  for (const text of wrong) console.log(`  ${text}`);
  for (const [name, points] of Object.entries(plan.faultPoints))
    console.log(`  ${name} armed ${points.join(', ')}`);
  for (const fault of plan.faults) console.log(`  ${JSON.stringify(fault)}`);
}

/** Where it is asked for. */
async function write(outcomes: readonly Outcome[]): Promise<void> {
  if (values.output === undefined) return;
  const { cpu, cores, memoryGiB, platform, node, commit, date } = await describeMachine();
  const machine = `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}; commit ${commit}, ${date}.`;
  const seeds = `${outcomes[0]?.plan.seed}..${outcomes.at(-1)?.plan.seed}`;
  await writeFile(
    values.output,
    `# A run of chaos\n\nSeeds ${seeds}. ${machine}\n\n${formatResults(outcomes)}`,
  );
}

const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(values.seeds) ?? [];
if (from === undefined || to === undefined || Number(from) > Number(to))
  refuseUse(usage, `--seeds takes A..B, such as 1..100, not ${values.seeds}`);
const outcomes = await chaos(
  Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
);
if (typeof outcomes === 'string') {
  process.stderr.write(`interrupted by ${outcomes}; all that was started is ended\n`);
  process.exit(128 + constants.signals[outcomes]);
}
const red = outcomes.filter(({ wrong }) => wrong.length > 0).length;
console.log(`\n${formatResults(outcomes)}\n${outcomes.length - red} green, ${red} red`);
process.exitCode = red === 0 ? 0 : 1;
