/** Turns at opening a session, for all devices of a pool, so that neither network nor database meets all of them at once. */
export interface Openings {
  /**
   * Calls `begin` when it is this one's turn, never before it returns. `soon`: before all that may wait. The turn ends
   * with `leave`, once the session is open or has failed; or instead of waiting on.
   */
  enter(begin: () => void, order: 'soon' | 'in turn'): Turn;
}

export interface Turn {
  /** Somebody waits for it: before all that may wait. Nothing once it has begun. */
  hasten(): void;
  leave(): void;
}

export interface Pace {
  /** Sessions on the way to being open. */
  atOnce: number;
  /** So many begin without a pause, after a quiet time. */
  burst: number;
  /** Then so many together, whose statements and frames travel together, every `everyMs`. */
  group: number;
  everyMs: number;
}

export function createOpenings({ atOnce, burst, group, everyMs }: Pace): Openings {
  const hasty = new Set<() => void>();
  const patient = new Set<() => void>();
  let open = 0;
  /** Turns that may begin before the next pause is over. */
  let ready = burst;
  let pausing = false;

  const advance = () => {
    for (const waiting of [hasty, patient]) {
      for (const begin of waiting) {
        if (open >= atOnce || ready === 0) return;
        waiting.delete(begin);
        open += 1;
        ready -= 1;
        pause();
        begin();
      }
    }
  };

  const pause = () => {
    if (pausing) return;
    pausing = true;
    setTimeout(resume, everyMs);
  };

  const resume = () => {
    pausing = false;
    ready = Math.min(burst, ready + group);
    if (ready < burst) pause();
    advance();
  };

  return {
    enter(begin, order) {
      // One of its own for each turn, whoever begins.
      const own = () => begin();
      let left = false;
      (order === 'soon' ? hasty : patient).add(own);
      queueMicrotask(advance);
      return {
        hasten() {
          if (patient.delete(own)) hasty.add(own);
        },
        leave() {
          if (left) return;
          left = true;
          if (hasty.delete(own) || patient.delete(own)) return;
          open -= 1;
          advance();
        },
      };
    },
  };
}
