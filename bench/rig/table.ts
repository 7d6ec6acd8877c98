import type { Goal } from '../rows/row.ts';
import type { LoadGenerator } from './load.ts';
import type { Machine } from './machine.ts';
import type { Effort, Medians, Pair, Run } from './measure.ts';

/** A row's figures. */
export interface Outcome {
  name: string;
  operation: string;
  goal: Goal;
  medians: Medians;
  /** Statements of one operation. */
  statements: { floor: number; parley: number };
  /** What the medians are of. */
  pairs: readonly Pair[];
}

/** Everything that one run of the benchmark found. */
export interface Results {
  machine: Machine & { postgres: string };
  load: { generator: LoadGenerator; connections: number } & Effort;
  outcomes: readonly Outcome[];
}

export const reachesGoal = ({ goal, medians, statements }: Outcome): boolean =>
  medians.ratio >= goal.ratio &&
  (goal.cpuRatio === undefined || medians.cpuRatio === null || medians.cpuRatio <= goal.cpuRatio) &&
  (goal.statements === undefined || statements.parley <= goal.statements);

/** The results as Markdown, for people. */
export function tableOf({ machine, load, outcomes }: Results): string {
  const heading = [
    ['operation', 'of the floor', 'goal', 'CPU per request', 'goal', 'statements', 'goal'],
    ['floor req/s', 'Parley req/s', 'floor CPU µs', 'Parley CPU µs', 'floor p99 ms', 'Parley p99 ms', ''],
  ].flat();
  const lines = [heading, heading.map(() => '---'), ...outcomes.map(cellsOf)];
  return `${[
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}; Node ${machine.node}, ` +
      `PostgreSQL ${machine.postgres}, commit ${machine.commit}, ${machine.date}.`,
    `Load: ${load.generator}, ${load.connections} connections, medians of ${load.pairs} alternating pairs of ` +
      `${load.secondsEach} s each after ${load.warmUpSeconds} s of warm-up; load, servers and database shared the machine.`,
  ].join('\n')}\n`;
}

function cellsOf(outcome: Outcome): string[] {
  const { operation, goal, medians, statements } = outcome;
  return [
    operation,
    medians.ratio.toFixed(2),
    `>= ${goal.ratio.toFixed(2)}`,
    medians.cpuRatio === null ? 'unknown' : `${medians.cpuRatio.toFixed(2)}x`,
    goal.cpuRatio === undefined ? '' : `<= ${goal.cpuRatio.toFixed(1)}x`,
    statements.parley.toFixed(2),
    goal.statements === undefined ? '' : `<= ${goal.statements}`,
    ...sideBySide(medians.floor, medians.parley),
    reachesGoal(outcome) ? 'reached' : 'MISSED',
  ];
}

type Side = Pick<Run, 'requestsPerSecond' | 'cpuMicrosecondsPerRequest' | 'p99Ms'>;

function sideBySide(floor: Side, parley: Side): string[] {
  const sides = [floor, parley];
  return [
    ...sides.map(({ requestsPerSecond }) => requestsPerSecond.toFixed(0)),
    ...sides.map(({ cpuMicrosecondsPerRequest: cpu }) => cpu?.toFixed(0) ?? 'unknown'),
    ...sides.map(({ p99Ms }) => p99Ms.toFixed(1)),
  ];
}
