import type { Environment } from './environment.ts';
import type { LoadGenerator } from './load.ts';
import type { Effort } from './measure.ts';

/** The tools that every row uses. */
export interface Rig {
  environment: Environment;
  generator: LoadGenerator;
  effort: Effort;
  /** A temporary folder for data and logs. */
  directory: string;
  /** Node options for Parley, such as those of a profile. */
  execArgs: readonly string[];
}
