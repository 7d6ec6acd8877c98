import type { LoadRequest } from '../rig/load.ts';
import type { Rig } from '../rig/rig.ts';

/** What one name in `--rows` measures. */
export type Row = FloorRow | FigureRow;

/** An operation, its floor, and how near it has to come. */
export interface FloorRow {
  name: string;
  /** As people write it. */
  operation: string;
  /** Program of the floor, in bench/floors. */
  floor: string;
  /** Of Parley's process; absent: the api alone. */
  roles?: 'api' | 'api,pool,worker';
  /** That ask at the same time; absent: 32. */
  connections?: number;
  /** Asked of both, word for word. May prepare what it speaks of. */
  request(subject: Subject): LoadRequest | Promise<LoadRequest>;
  goal: Goal;
}

/** What a request may speak of. */
export interface Subject {
  /** Of Parley. */
  url: string;
  databaseUrl: string;
  deviceIds: readonly string[];
  key: { id: string; secret: string };
  /** Access token of that key. */
  token: string;
}

export interface Goal {
  /** Requests per second over the floor's, at least. */
  ratio: number;
  /** CPU per request over the floor's, at most. */
  cpuRatio?: number;
  /** Statements per operation, at most. */
  statements?: number;
}

/** A work with figures of its own: the row starts what it needs and ends it. */
export interface FigureRow {
  name: string;
  /** As people write it. */
  work: string;
  measure(rig: Rig): Promise<readonly Figure[]>;
}

export interface Figure {
  /** What was measured, with its circumstances. */
  figure: string;
  value: number;
  /** Behind the value: ` ms`, ` MiB`, `x`. */
  unit: string;
  /** Absent: shown, not judged. */
  goal?: { atMost: number } | { atLeast: number };
}
