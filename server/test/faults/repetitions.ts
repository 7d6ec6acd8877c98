/**
 * How often a fault is tried: a few times in every run, and as often as the guarantee is stated for with `FULL_FAULTS=1`
 * (`FULL_FAULTS=1 npm test -- --no-check server/test/faults`).
 */
export const repetitions = (everyRun: number, full: number): number =>
  process.env['FULL_FAULTS'] === '1' ? full : everyRun;
