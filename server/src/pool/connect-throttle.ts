/** Turns at opening a session, for all devices of a pool, so that neither network nor database meets all of them at once. */
export interface ConnectThrottle {
  /**
   * Calls `begin` when it is this one's turn, never before it returns. `soon`: before all that may wait. The turn ends
   * with `leave`, once the session is open or has failed; or instead of waiting on.
   */
  request(begin: () => void, order: 'soon' | 'in turn'): ConnectSlot;
}

export interface ConnectSlot {
  /** Somebody waits for it: before all that may wait. Nothing once it has begun. */
  prioritize(): void;
  release(): void;
}

export interface ConnectRate {
  /** Sessions on the way to being open. */
  atOnce: number;
  /** So many begin without a pause, after a quiet time. */
  burst: number;
  /** Then so many together, whose statements and frames travel together, every `everyMs`. */
  group: number;
  everyMs: number;
}

export function createConnectThrottle({ atOnce, burst, group, everyMs }: ConnectRate): ConnectThrottle {
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
    request(begin, order) {
      // One of its own for each turn, whoever begins.
      const own = () => begin();
      let left = false;
      (order === 'soon' ? hasty : patient).add(own);
      queueMicrotask(advance);
      return {
        prioritize() {
          if (patient.delete(own)) hasty.add(own);
        },
        release() {
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
