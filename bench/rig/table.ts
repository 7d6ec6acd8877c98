import type { Release } from './last-release.ts';
import type { Run } from './measure.ts';
import {
  type Conditions,
  type FigureOutcome,
  type FloorOutcome,
  isFigureOutcome,
  isFloorOutcome,
  isReached,
  type Outcome,
  reachesGoal,
} from './outcome.ts';

/** Formats the results as Markdown. Marks those that were measured before the last release. */
export function formatResults(outcomes: readonly Outcome[], release: Release | null): string {
  const floorRows = outcomes.filter(isFloorOutcome);
  const figureRows = outcomes.filter(isFigureOutcome);
  const parts = [
    ...(floorRows.length === 0 ? [] : [floorTable(floorRows, release), formatLoads(floorRows)]),
    ...(figureRows.length === 0 ? [] : [figureTable(figureRows, release)]),
    formatMachines(outcomes),
  ];
  return `${parts.join('\n\n')}\n`;
}

function floorTable(outcomes: readonly FloorOutcome[], release: Release | null): string {
  const heading = [
    ['operation', 'of the floor', 'goal', 'CPU per request', 'goal', 'statements', 'goal'],
    ['floor req/s', 'Parley req/s', 'floor CPU µs', 'Parley CPU µs', 'floor p99 ms', 'Parley p99 ms'],
    ['', 'commit, day'],
  ].flat();
  return markdown(
    heading,
    outcomes.map((outcome) => formatCells(outcome, release)),
  );
}

function figureTable(outcomes: readonly FigureOutcome[], release: Release | null): string {
  const lines = outcomes.flatMap((outcome) =>
    outcome.figures.map((figure) => [
      outcome.work,
      figure.figure,
      `${round(figure.value)}${figure.unit}`,
      formatGoal(figure.goal, figure.unit),
      formatVerdict(isReached(figure)),
      formatCommit(outcome, release),
    ]),
  );
  return markdown(['work', 'figure', 'value', 'goal', '', 'commit, day'], lines);
}

function markdown(heading: readonly string[], lines: readonly (readonly string[])[]): string {
  return [heading, heading.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function formatCells(outcome: FloorOutcome, release: Release | null): string[] {
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
    formatVerdict(reachesGoal(outcome)),
    formatCommit(outcome, release),
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

function formatGoal(goal: { atMost: number } | { atLeast: number } | undefined, unit: string): string {
  if (goal === undefined) return '';
  return 'atMost' in goal ? `<= ${goal.atMost}${unit}` : `>= ${goal.atLeast}${unit}`;
}

/** Rounds to three digits, or to a whole number if that is longer. */
const round = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));

const formatVerdict = (reached: boolean | null): string =>
  reached === null ? '' : reached ? 'reached' : 'MISSED';

/** A figure of the release's own day may be older than it. */
const formatCommit = ({ machine: { commit, date } }: Conditions, release: Release | null): string =>
  `${commit}, ${date}${release !== null && date <= release.date ? `, OLDER than ${release.version}` : ''}`;

function formatLoads(outcomes: readonly FloorOutcome[]): string {
  return distinct(
    outcomes.map(
      ({ load }) =>
        `Load: ${load.generator}, ${load.connections} connections, medians of ${load.pairs} alternating pairs of ` +
        `${load.secondsEach} s each after ${load.warmUpSeconds} s of warm-up. Load, servers and database shared the machine.`,
    ),
  );
}

function formatMachines(outcomes: readonly Outcome[]): string {
  return distinct(
    outcomes.map(
      ({ machine }) =>
        `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}; Node ${machine.node}, ` +
        `PostgreSQL ${machine.postgres}.`,
    ),
  );
}

const distinct = (lines: readonly string[]): string => [...new Set(lines)].join('\n');
