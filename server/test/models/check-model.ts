import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { repetitions } from '../faults/repetitions.ts';
import { explain, type Specification, type System } from './specification.ts';

/** Operations that start concurrently. The next group starts after all have ended. */
export type Group<Operation> = readonly Operation[];

/**
 * Generates groups, most of them with one operation. `single` also has operations that cannot run concurrently, such as
 * advancing the clock. `isLinearizable` excludes concurrent groups that need no sequential explanation.
 */
export function arbitraryGroups<Operation>(
  single: fc.Arbitrary<Operation>,
  concurrent: fc.Arbitrary<Operation>,
  isLinearizable: (group: Group<Operation>) => boolean = () => true,
): fc.Arbitrary<Group<Operation>[]> {
  const group = fc.oneof(
    { weight: 3, arbitrary: single.map((operation) => [operation]) },
    { weight: 1, arbitrary: fc.array(concurrent, { minLength: 2, maxLength: 4 }).filter(isLinearizable) },
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
    const history = await Promise.all(
      resolved.map(async (operation) => ({ operation, answer: await system.perform(operation) })),
    );
    const visible = await system.visibleState();
    const next = explain(specification, state, history, (last) =>
      isDeepStrictEqual(specification.visibleState(last), visible),
    );
    assert.ok(
      next !== null,
      `no order explains ${format({ before: specification.visibleState(state), history, after: visible })}`,
    );
    inspectState(next);
    state = next;
  }
  return state;
}

const format = (value: unknown): string => inspect(value, { depth: 6, breakLength: 110, sorted: false });

/** Time limit, including shrinking. A slow machine runs fewer cases. */
const timeLimitMs = repetitions(15_000, 8 * 60_000);

/** Checks a property over generated runs. A failure reports the seed and the shortest counterexample. */
export const checkModel = <Operation>(
  groups: fc.Arbitrary<Group<Operation>[]>,
  runs: number,
  property: (groups: Group<Operation>[]) => Promise<void>,
): Promise<void> =>
  fc.assert(fc.asyncProperty(groups, property), {
    numRuns: runs,
    interruptAfterTimeLimit: timeLimitMs,
    markInterruptAsFailure: false,
  });
