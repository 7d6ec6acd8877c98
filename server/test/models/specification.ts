/** Describes a state and the effect of each operation on it. */
export interface Specification<State, Operation, Answer> {
  /** Resolves the arbitrary numbers of a generated operation to existing objects. Returns null if there are none. */
  resolve(operation: Operation, state: State): Operation | null;
  /**
   * Returns the state after an operation with this answer, or null if the answer is wrong. `alone` means that no other
   * operation ran.
   */
  after(state: State, operation: Operation, answer: Answer, alone: boolean): State | null;
  /** Returns the part of a state that the system shows. */
  visibleState(state: State): unknown;
}

/** The system under test. */
export interface System<Operation, Answer> {
  perform(operation: Operation): Promise<Answer>;
  /** Returns the current state in the form of `Specification.visibleState`. */
  visibleState(): Promise<unknown>;
}

export interface HistoryEntry<Operation, Answer> {
  operation: Operation;
  answer: Answer;
}

/**
 * Returns the state after concurrent operations. Returns null if no sequential order explains every answer and satisfies
 * `matchesFinal`.
 */
export function explain<State, Operation, Answer>(
  { after }: Pick<Specification<State, Operation, Answer>, 'after'>,
  state: State,
  history: readonly HistoryEntry<Operation, Answer>[],
  matchesFinal: (state: State) => boolean,
  alone = history.length === 1,
): State | null {
  if (history.length === 0) return matchesFinal(state) ? state : null;
  for (const [index, { operation, answer }] of history.entries()) {
    const next = after(state, operation, answer, alone);
    if (next === null) continue;
    const last = explain({ after }, next, history.toSpliced(index, 1), matchesFinal, alone);
    if (last !== null) return last;
  }
  return null;
}
