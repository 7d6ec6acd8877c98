import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions, refuseUse } from '../scripts/command-line.ts';
import { openEnvironment } from './rig/environment.ts';
import { findLoadGenerator } from './rig/load.ts';
import { describeMachine } from './rig/machine.ts';
import { defaultConnections, type Effort } from './rig/measure.ts';
import { measureRow } from './rig/measure-row.ts';
import type { Conditions, Outcome } from './rig/outcome.ts';
import type { Rig } from './rig/rig.ts';
import { storeResults } from './rig/store-results.ts';
import { formatResults } from './rig/table.ts';
import { allRows } from './rows/all-rows.ts';
import type { Row } from './rows/row.ts';

const thorough: Effort = { pairs: 5, secondsEach: 4, warmUpSeconds: 3 };
const quick: Effort = { pairs: 1, secondsEach: 1, warmUpSeconds: 0 };

const rowNames = allRows.map((row) => row.name);

const usage =
  'npm run bench -- [--rows get-device,create-team] [--name http] [--out directory] [--quick] [--profile directory]';

/** Measures Parley, prints and stores the figures. A quick or profiled run stores them only with `--out`. */
async function bench(): Promise<void> {
  const options = readOptions(usage, {
    quick: { type: 'boolean', default: false },
    rows: { type: 'string', default: rowNames.join() },
    name: { type: 'string', default: 'http' },
    out: { type: 'string' },
    profile: { type: 'string' },
  });
  const { quick: isQuick, profile, name, out } = options;
  const outcomes = await measureAll({
    rows: pickRows(options.rows),
    effort: isQuick ? quick : thorough,
    execArgs: profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile],
  });
  console.log(formatResults(outcomes, null));
  if (out === undefined && (isQuick || profile !== undefined)) return;
  const directory = out ?? fileURLToPath(new URL('results', import.meta.url));
  console.log(`Wrote ${await storeResults({ directory, name, rowNames }, outcomes)}`);
}

function pickRows(names: string): Row[] {
  return names.split(',').map((name) => {
    const row = allRows.find((candidate) => candidate.name === name);
    if (row !== undefined) return row;
    return refuseUse(usage, `There is no row ${name}. Rows: ${rowNames.join(', ')}`);
  });
}

async function measureAll(options: {
  rows: readonly Row[];
  effort: Effort;
  execArgs: readonly string[];
}): Promise<Outcome[]> {
  const { rows, effort, execArgs } = options;
  await using ends = new AsyncDisposableStack();
  const generator = await findLoadGenerator();
  if (generator !== 'wrk') {
    console.log(
      'wrk is not installed (Debian: apt-get install wrk). Node generates the load, so the figures are not usable.',
    );
  }
  const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  ends.defer(() => rm(directory, { recursive: true, force: true }));
  const environment = await openEnvironment();
  ends.defer(() => environment.close());
  const rig: Rig = { environment, generator, effort, directory, execArgs };
  const conditions: Conditions = {
    machine: { ...(await describeMachine()), postgres: environment.postgresVersion },
    load: { generator, connections: defaultConnections, ...effort },
  };
  const outcomes: Outcome[] = [];
  for (const row of rows) outcomes.push({ ...conditions, ...(await measureOne(row, rig)) });
  return outcomes;
}

async function measureOne(row: Row, rig: Rig) {
  if ('floor' in row) return measureRow(row, rig);
  const { name, work } = row;
  return { name, work, figures: await row.measure(rig) };
}

await bench();
