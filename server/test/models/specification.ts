/** A specification: a state, and the effect of each operation on it. */
export interface Specification<State, Operation, Answer> {
  /** Resolves the arbitrary numbers of a generated operation to existing objects. Returns null if there are none. */
  resolve(operation: Operation, state: State): Operation | null;
  /**
   * Returns the state after an operation with this answer, or null if the answer is wrong. `alone` means that no other
   * operation ran.
   */
  after(state: State, operation: Operation, answer: Answer, alone: boolean): State | null;
  /** The visible part of a state. */
  shown(state: State): unknown;
}

/** The system under test. */
export interface System<Operation, Answer> {
  perform(operation: Operation): Promise<Answer>;
  /** Its current state, in the form of `shown`. */
  shown(): Promise<unknown>;
}

/** An operation with its answer. */
export interface HistoryEntry<Operation, Answer> {
  operation: Operation;
  answer: Answer;
}

/**
 * Returns the state after concurrent operations, or null if no sequential order explains every answer and passes
 * `isShown`.
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
