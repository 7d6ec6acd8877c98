import type { LoadRequest } from '../rig/load.ts';

/** One line of the table: an operation, its floor, and how near it has to come. */
export interface Row {
  name: string;
  /** As people write it. */
  operation: string;
  /** Program of the floor, in bench/floors. */
  floor: string;
  /** Asked of both, word for word. */
  request(subject: Subject): LoadRequest;
  goal: Goal;
}

/** What a request may speak of. */
export interface Subject {
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
