import type { Figure, Goal } from '../rows/row.ts';
import type { LoadGenerator } from './load.ts';
import type { Machine } from './machine.ts';
import type { Effort, Medians, Pair } from './measure.ts';

/** Under what a row was measured; each row keeps its own, since runs of some rows leave the others as they are. */
export interface Conditions {
  machine: Machine & { postgres: string };
  load: { generator: LoadGenerator; connections: number } & Effort;
}

/** The figures of an operation beside its floor. */
export interface FloorOutcome extends Conditions {
  name: string;
  operation: string;
  goal: Goal;
  medians: Medians;
  /** Statements of one operation. */
  statements: { floor: number; parley: number };
  /** What the medians are of. */
  pairs: readonly Pair[];
}

/** The figures of a row that measures by itself. */
export interface FigureOutcome extends Conditions {
  name: string;
  work: string;
  figures: readonly Figure[];
}

export type Outcome = FloorOutcome | FigureOutcome;

export const isFloorOutcome = (outcome: Outcome): outcome is FloorOutcome => 'medians' in outcome;
export const isFigureOutcome = (outcome: Outcome): outcome is FigureOutcome => 'figures' in outcome;

export const reachesGoal = ({ goal, medians, statements }: FloorOutcome): boolean =>
  medians.ratio >= goal.ratio &&
  (goal.cpuRatio === undefined || medians.cpuRatio === null || medians.cpuRatio <= goal.cpuRatio) &&
  (goal.statements === undefined || statements.parley <= goal.statements);

/** Null where nothing was asked of the figure. */
export function isReached({ value, goal }: Figure): boolean | null {
  if (goal === undefined) return null;
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}
