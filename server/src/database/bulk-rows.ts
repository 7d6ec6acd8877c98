import type { Scope } from './scopes.ts';

/** A batch of a team's rows from before a time. */
export interface Expired {
  teamId: string;
  before: Date;
  limit: number;
}

/** One contact in the teams of a scope. `number` is as stored: with `+`, or an id of the network. */
export interface ContactOf {
  scope: Scope;
  number: string;
}
