import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.ts';

/** In milliseconds. */
export interface Latency {
  p50: number;
  p99: number;
}

interface LargeDatabaseFigures {
  atRest: Record<string, Latency>;
  duringPurge: Record<string, Latency>;
  /** Median milliseconds. */
  ofAll: Record<string, number>;
  purgedPerSecond: Record<string, number>;
  vacuumSeconds: Record<string, number>;
  bytes: Record<string, { table: number; indexes: Record<string, number> }>;
}

export interface LargeDatabaseOutcome {
  messages: number;
  machine: Machine & { postgres: string };
  seconds: number;
  figures: LargeDatabaseFigures;
}

const path = (extension: string) =>
  fileURLToPath(new URL(`../results/large-database.${extension}`, import.meta.url));

/** Keeps the outcomes of other numbers of messages. Returns the path of the Markdown file. */
export async function storeLargeDatabase(outcome: LargeDatabaseOutcome): Promise<string> {
  const others = (await readOutcomes()).filter(({ messages }) => messages !== outcome.messages);
  const outcomes = [...others, outcome].sort((a, b) => a.messages - b.messages);
  await writeFile(path('json'), `${JSON.stringify({ outcomes }, null, 2)}\n`);
  await writeFile(path('md'), formatOutcomes(outcomes));
  return path('md');
}

async function readOutcomes(): Promise<readonly LargeDatabaseOutcome[]> {
  try {
    // `storeLargeDatabase` wrote this file.
    return (JSON.parse(await readFile(path('json'), 'utf8')) as { outcomes: LargeDatabaseOutcome[] })
      .outcomes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** One column for each number of messages, and the ratio of the last to the first. */
function formatOutcomes(outcomes: readonly LargeDatabaseOutcome[]): string {
  const rows = new Map<string, number[]>();
  for (const [index, { figures }] of outcomes.entries()) {
    for (const [name, value] of listFigures(figures)) {
      const values = rows.get(name) ?? [];
      values[index] = value;
      rows.set(name, values);
    }
  }
  const counts = outcomes.map(({ messages }) => messages.toLocaleString('en'));
  const lines = [...rows].map(([name, values]) => {
    const [first = Number.NaN, last = Number.NaN] = [values[0], values[outcomes.length - 1]];
    const cells = outcomes.map((_, index) => format(values[index]));
    return `| ${[name, ...cells, (last / first).toFixed(2)].join(' | ')} |`;
  });
  const machines = outcomes.map(
    ({ messages, machine, seconds }) =>
      `- ${messages.toLocaleString('en')}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, PostgreSQL ` +
      `${machine.postgres}, commit ${machine.commit}, ${machine.date}, ${seconds} s each`,
  );
  return [
    '# Large databases\n',
    '`npm run bench:large` writes this table ([bench](../README.md#large-databases)).\n',
    `| messages | ${counts.join(' | ')} | ratio |`,
    `|---|${'---|'.repeat(counts.length + 1)}`,
    ...lines,
    `\n${machines.join('\n')}\n`,
  ].join('\n');
}

function listFigures(figures: LargeDatabaseFigures): [string, number][] {
  const latencies = (when: string, of: Record<string, Latency>): [string, number][] =>
    Object.entries(of).flatMap(([name, { p50, p99 }]): [string, number][] => [
      [`${name}${when}, p50 ms`, p50],
      [`${name}${when}, p99 ms`, p99],
    ]);
  const each = (of: Record<string, number>, describe: (name: string) => string): [string, number][] =>
    Object.entries(of).map(([name, value]) => [describe(name), value]);
  const GiB = 2 ** 30;
  return [
    ...latencies('', figures.atRest),
    ...latencies(' during a purge', figures.duringPurge),
    ...each(figures.ofAll, (name) => `${name} of all teams, median ms`),
    ...each(figures.purgedPerSecond, (name) => `${name} purged a second`),
    ...each(figures.vacuumSeconds, (name) => `vacuum of ${name} after the purge, s`),
    ...Object.entries(figures.bytes).flatMap(([table, sizes]): [string, number][] => [
      [`table ${table}, GiB`, sizes.table / GiB],
      ...each(sizes.indexes, (index) => `index ${index}, GiB`).map(([name, bytes]): [string, number] => [
        name,
        bytes / GiB,
      ]),
    ]),
  ];
}

function format(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}
