import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findLoadGenerator } from './rig/load.ts';
import { describeMachine } from './rig/machine.ts';
import { CONNECTIONS, type Effort } from './rig/measure.ts';
import { measureRow } from './rig/measure-row.ts';
import { startParley } from './rig/parley-process.ts';
import { openStage } from './rig/stage.ts';
import { type Outcome, type Results, tableOf } from './rig/table.ts';
import { writeResults } from './rig/write-results.ts';
import { allRows } from './rows/all-rows.ts';
import type { Row } from './rows/row.ts';

const thorough: Effort = { pairs: 5, secondsEach: 4, warmUpSeconds: 3 };
const quick: Effort = { pairs: 1, secondsEach: 1, warmUpSeconds: 0 };

/**
 * `npm run bench [-- --quick] [--rows get-device,create-team] [--name http] [--out directory] [--profile directory]`:
 * measures Parley against its floors, prints the table and writes it.
 */
async function bench(args: readonly string[]): Promise<void> {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string', default: allRows.map((row) => row.name).join() },
      name: { type: 'string', default: 'http' },
      out: { type: 'string', default: fileURLToPath(new URL('results', import.meta.url)) },
      profile: { type: 'string' },
    },
  });
  const results = await measureAll({
    rows: pickRows(options.rows),
    effort: options.quick ? quick : thorough,
    execArgs: options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile],
  });
  console.log(tableOf(results));
  console.log(`Written to ${await writeResults(options.out, options.name, results)}`);
}

function pickRows(names: string): Row[] {
  return names.split(',').map((name) => {
    const row = allRows.find((candidate) => candidate.name === name);
    if (row !== undefined) return row;
    throw new Error(`no row ${name}; there are ${allRows.map((known) => known.name).join(', ')}`);
  });
}

async function measureAll(options: {
  rows: readonly Row[];
  effort: Effort;
  /** For the runtime of Parley. */
  execArgs: readonly string[];
}): Promise<Results> {
  const { rows, effort, execArgs } = options;
  await using ends = new AsyncDisposableStack();
  const generator = await findLoadGenerator();
  if (generator !== 'wrk') {
    console.log(
      'wrk is not installed (Debian: apt-get install wrk): the load comes from Node, no figures to keep',
    );
  }
  const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  ends.defer(() => rm(directory, { recursive: true, force: true }));
  const stage = await openStage();
  ends.defer(() => stage.close());
  const parley = await startParley({ databaseUrl: stage.databaseUrl, directory, execArgs });
  ends.defer(() => parley.stop());
  const outcomes: Outcome[] = [];
  for (const row of rows) {
    outcomes.push(await measureRow(row, { stage, parley, generator, effort, directory }));
  }
  const machine = { ...(await describeMachine()), postgres: stage.postgresVersion };
  return { machine, load: { generator, connections: CONNECTIONS, ...effort }, outcomes };
}

await bench(process.argv.slice(2));
