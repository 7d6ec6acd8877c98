/** What a part of the system is to do, told as a state and what each operation makes of it, without any of its code. */
export interface Specification<State, Operation, Answer> {
  /**
   * Aims an operation at something that is there: generated operations name things by any number. Null when there is
   * nothing to do it to.
   */
  aim(operation: Operation, state: State): Operation | null;
  /**
   * The state after an operation that was answered so; null when it must not be answered so. `alone`: nothing ran
   * beside it, so that everything that can happen does.
   */
  after(state: State, operation: Operation, answer: Answer, alone: boolean): State | null;
  /** As much of a state as the system shows. */
  shown(state: State): unknown;
}

/** The system under the same operations. */
export interface System<Operation, Answer> {
  perform(operation: Operation): Promise<Answer>;
  /** Its state now, in the form of `shown`. */
  shown(): Promise<unknown>;
}

/** An operation and what it was answered. */
export interface HistoryEntry<Operation, Answer> {
  operation: Operation;
  answer: Answer;
}

/**
 * The state after operations that ran at once. They must have had the effect of some order, one after the other, that
 * explains every answer and all that `isShown` looks at; null when there is no such order.
 */
export function explain<State, Operation, Answer>(
  { after }: Pick<Specification<State, Operation, Answer>, 'after'>,
  state: State,
  happened: readonly HistoryEntry<Operation, Answer>[],
  isShown: (state: State) => boolean,
  alone = happened.length === 1,
): State | null {
  if (happened.length === 0) return isShown(state) ? state : null;
  for (const [index, { operation, answer }] of happened.entries()) {
    const next = after(state, operation, answer, alone);
    if (next === null) continue;
    const last = explain({ after }, next, happened.toSpliced(index, 1), isShown, alone);
    if (last !== null) return last;
  }
  return null;
}
