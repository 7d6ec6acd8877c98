import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { repetitions } from '../faults/repetitions.ts';
import { explain, type Specification, type System } from './specification.ts';

/** Operations that start concurrently. The next group starts when all have ended. */
export type Group<Operation> = readonly Operation[];

/**
 * Most groups hold one operation. `single` also has operations that cannot run concurrently, such as advancing the
 * clock. `areOrdered` decides whether a sequential order must explain a concurrent group.
 */
export function arbitraryGroups<Operation>(
  single: fc.Arbitrary<Operation>,
  atOnce: fc.Arbitrary<Operation>,
  areOrdered: (group: Group<Operation>) => boolean = () => true,
): fc.Arbitrary<Group<Operation>[]> {
  const group = fc.oneof(
    { weight: 3, arbitrary: single.map((operation) => [operation]) },
    { weight: 1, arbitrary: fc.array(atOnce, { minLength: 2, maxLength: 4 }).filter(areOrdered) },
  );
  return fc.array(group, { minLength: 1, maxLength: 25, size: 'max' });
}

/**
 * Runs the groups against the system. The specification must explain each group, and `inspectState` checks each state.
 * Returns the last state.
 */
export async function replay<State, Operation, Answer>(
  specification: Specification<State, Operation, Answer>,
  initial: State,
  system: System<Operation, Answer>,
  groups: readonly Group<Operation>[],
  inspectState: (state: State) => void = () => undefined,
): Promise<State> {
  let state = initial;
  for (const group of groups) {
    const resolved = group.flatMap((operation) => specification.resolve(operation, state) ?? []);
    if (resolved.length === 0) continue;
    const happened = await Promise.all(
      resolved.map(async (operation) => ({ operation, answer: await system.perform(operation) })),
    );
    const shown = await system.shown();
    const next = explain(specification, state, happened, (last) =>
      isDeepStrictEqual(specification.shown(last), shown),
    );
    assert.ok(
      next !== null,
      `no order explains ${look({ before: specification.shown(state), happened, after: shown })}`,
    );
    inspectState(next);
    state = next;
  }
  return state;
}

const look = (value: unknown): string => inspect(value, { depth: 6, breakLength: 110, sorted: false });

/** Time limit, including shrinking. A slow machine runs fewer cases. */
const mostMs = repetitions(15_000, 8 * 60_000);

/** Checks a property over generated runs. A failure names the seed and the shortest counterexample. */
export const checkModel = <Operation>(
  groups: fc.Arbitrary<Group<Operation>[]>,
  runs: number,
  holds: (groups: Group<Operation>[]) => Promise<void>,
): Promise<void> =>
  fc.assert(fc.asyncProperty(groups, holds), {
    numRuns: runs,
    interruptAfterTimeLimit: mostMs,
    markInterruptAsFailure: false,
  });
