import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { describeMachine } from '../bench/rig/machine.ts';
import { waitForStopSignal } from '../server/src/platform/shared/signals.ts';
import { createEnvironment, type Environment } from '../server/test/chaos/environment.ts';
import { formatResults, listHits } from '../server/test/chaos/format-results.ts';
import { type Outcome, runSeed } from '../server/test/chaos/run-seed.ts';
import { readOptions, refuseUse } from './command-line.ts';

const usage = 'npm run chaos -- [--seeds A..B] [--generating] [--replicated] [--output file] [--verbose]';
const values = readOptions(usage, {
  seeds: { type: 'string', default: '1..5' },
  /** Answers with a language model instead of a fake provider. */
  generating: { type: 'boolean', default: false },
  /** Gives the database a synchronous standby, and kills the primary in every seed. */
  replicated: { type: 'boolean', default: false },
  /** Writes the table to this file after each seed. */
  output: { type: 'string' },
  verbose: { type: 'boolean', default: false },
});

/**
 * Runs the seeds one after another. A failed seed keeps its logs. After it, and after a killed primary, the next seed gets a new
 * environment. `--seeds N..N`
 * repeats the schedule of a seed. A stop signal ends everything that the run started, and is returned.
 */
async function chaos(seeds: readonly number[]): Promise<readonly Outcome[] | NodeJS.Signals> {
  const outcomes: Outcome[] = [];
  let environment: Environment | null = null;
  const stopSignal = waitForStopSignal();
  try {
    for (const seed of seeds) {
      environment ??= await createEnvironment(values);
      const outcome = await Promise.race([stopSignal, runSeed(environment, seed)]);
      if (typeof outcome === 'string') return outcome;
      outcomes.push(outcome);
      printOutcome(outcome);
      await writeResults(outcomes);
      const failed = outcome.violations.length > 0;
      if (!failed && !values.replicated) continue;
      if (failed) console.log(`  logs: ${environment.folder}`);
      await environment.close({ keepLogs: failed });
      environment = null;
    }
  } finally {
    await environment?.close({ keepLogs: false });
  }
  return outcomes;
}

function printOutcome(outcome: Outcome): void {
  const { plan, violations, recoveryMs, elapsedMs } = outcome;
  const times = `${(elapsedMs / 1000).toFixed(1)} s, idle after ${(recoveryMs / 1000).toFixed(1)} s`;
  console.log(
    `seed ${plan.seed}: ${violations.length === 0 ? 'passed' : 'FAILED'}, ${times}; ${listHits(outcome).join(' ')}`,
  );
  if (values.verbose) console.log(`  last to become idle: ${outcome.lastActive.slice(0, 400)}`);
  if (violations.length === 0 && !values.verbose) return;
  for (const text of violations) console.log(`  ${text}`);
  for (const [name, points] of Object.entries(plan.faultPoints))
    console.log(`  ${name} armed ${points.join(', ')}`);
  for (const fault of plan.faults) console.log(`  ${JSON.stringify(fault)}`);
}

async function writeResults(outcomes: readonly Outcome[]): Promise<void> {
  if (values.output === undefined) return;
  const { cpu, cores, memoryGiB, platform, node, commit, date } = await describeMachine();
  const machine = `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}; commit ${commit}, ${date}.`;
  const seeds = `${outcomes[0]?.plan.seed}..${outcomes.at(-1)?.plan.seed}`;
  await writeFile(values.output, `# Chaos run\n\nSeeds ${seeds}. ${machine}\n\n${formatResults(outcomes)}`);
}

const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(values.seeds) ?? [];
if (from === undefined || to === undefined || Number(from) > Number(to))
  refuseUse(usage, `--seeds takes A..B, such as 1..100, not ${values.seeds}`);
const outcomes = await chaos(
  Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
);
if (typeof outcomes === 'string') {
  process.stderr.write(`interrupted by ${outcomes}; all processes have ended\n`);
  process.exit(128 + constants.signals[outcomes]);
}
const failed = outcomes.filter(({ violations }) => violations.length > 0).length;
console.log(`\n${formatResults(outcomes)}\n${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
