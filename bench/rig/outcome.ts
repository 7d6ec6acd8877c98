import type { Figure, Goal } from '../rows/row.ts';
import type { LoadGenerator } from './load.ts';
import type { Machine } from './machine.ts';
import type { Effort, Medians, Pair } from './measure.ts';

/** The conditions of a measurement. Each row keeps its own, because a run may measure only some rows. */
export interface Conditions {
  machine: Machine & { postgres: string };
  load: { generator: LoadGenerator; connections: number } & Effort;
}

/** The figures of an operation and its floor. */
export interface FloorOutcome extends Conditions {
  name: string;
  operation: string;
  goal: Goal;
  medians: Medians;
  /** Statements per operation. */
  statements: { floor: number; parley: number };
  /** The source of the medians. */
  pairs: readonly Pair[];
}

/** The figures of a row without a floor. */
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

/** Returns null for a figure without a goal. */
export function isReached({ value, goal }: Figure): boolean | null {
  if (goal === undefined) return null;
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}
