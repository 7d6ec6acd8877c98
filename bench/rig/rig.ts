import type { Stage } from './environment.ts';
import type { LoadGenerator } from './load.ts';
import type { Effort } from './measure.ts';

/** What every row measures with. */
export interface Rig {
  stage: Stage;
  generator: LoadGenerator;
  effort: Effort;
  /** Temporary, for data and logs. */
  directory: string;
  /** For the runtime of Parley: what a profile needs. */
  execArgs: readonly string[];
}
