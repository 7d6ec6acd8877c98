import type { ApiOperation } from '../../server/test/openapi/operations.ts';

/** An address is locked out of exchanging keys after sixty failures within a minute. */
const failuresInAMinute = 50;

/** Keeps a run from locking itself out. */
export interface Restraint {
  allows(operation: ApiOperation): boolean;
  note(operation: ApiOperation, status: number): void;
}

export function createRestraint(): Restraint {
  let failures: number[] = [];
  return {
    allows({ open }) {
      const aMinuteAgo = performance.now() - 60_000;
      failures = failures.filter((time) => time > aMinuteAgo);
      return !open || failures.length < failuresInAMinute;
    },
    note({ open }, status) {
      if (open && status === 401) failures.push(performance.now());
    },
  };
}
