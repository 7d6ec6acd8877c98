import type { LoadRequest } from '../rig/load.ts';
import type { Rig } from '../rig/rig.ts';

/** A measurement with a name for `--rows`. */
export type Row = FloorRow | FigureRow;

/** An operation, its floor and its goal. */
export interface FloorRow {
  name: string;
  /** Description for readers. */
  operation: string;
  /** The floor's program in bench/floors. */
  floor: string;
  /** Roles of Parley's process. Default: the api alone. */
  roles?: 'api' | 'api,pool,worker';
  /** Concurrent connections. Default: 32. */
  connections?: number;
  /** The request to both servers. May create the objects it refers to. */
  request(subject: Subject): LoadRequest | Promise<LoadRequest>;
  goal: Goal;
}

/** The objects that a request may refer to. */
export interface Subject {
  /** Parley's base URL. */
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

/** A measurement without a floor. The row starts and stops its own processes. */
export interface FigureRow {
  name: string;
  /** Description for readers. */
  work: string;
  measure(rig: Rig): Promise<readonly Figure[]>;
}

export interface Figure {
  /** The measured quantity with its conditions. */
  figure: string;
  value: number;
  /** The suffix of the value: ` ms`, ` MiB`, `x`. */
  unit: string;
  /** A figure without a goal is only shown. */
  goal?: { atMost: number } | { atLeast: number };
}
