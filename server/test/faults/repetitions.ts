/** Returns `everyRun`, or `full` with `FULL_FAULTS=1` (`FULL_FAULTS=1 npm test -- --no-check server/test/faults`). */
export const repetitions = (everyRun: number, full: number): number =>
  process.env['FULL_FAULTS'] === '1' ? full : everyRun;
