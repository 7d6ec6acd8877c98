/** Points of no return, at which a test may end the process. */
export const faultPoints = ['once.after_begin', 'once.after_commit'] as const;
export type FaultPoint = (typeof faultPoints)[number];

/** Names a point that the code has reached. Does nothing unless that point is armed. */
export type Fault = (point: FaultPoint) => void;

/** `armed`: the point at which this process is killed as if by `kill -9`; null outside of tests of exactly that. */
export function createFault(armed: FaultPoint | null): Fault {
  return (point) => {
    if (point !== armed) return;
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment, in which nothing more may happen.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
