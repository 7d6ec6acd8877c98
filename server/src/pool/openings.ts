/** Turns at opening a session, for all devices of a pool: a network that answers slowly is not asked by all at once. */
export interface Openings {
  /**
   * Calls `begin` when it is this one's turn, never before it returns. Answers how to leave: once the session is open or
   * has failed, or instead of waiting on.
   */
  enter(begin: () => void): () => void;
}

export function createOpenings(atOnce: number): Openings {
  const waiting = new Set<() => void>();
  let open = 0;

  const advance = () => {
    for (const begin of waiting) {
      if (open >= atOnce) return;
      waiting.delete(begin);
      open += 1;
      begin();
    }
  };

  return {
    enter(begin) {
      // One of its own for each entry, whoever begins.
      const entry = () => begin();
      let left = false;
      waiting.add(entry);
      queueMicrotask(advance);
      return () => {
        if (left) return;
        left = true;
        if (waiting.delete(entry)) return;
        open -= 1;
        advance();
      };
    },
  };
}
