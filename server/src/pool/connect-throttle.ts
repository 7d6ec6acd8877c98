/** Limits how fast a pool opens sessions, to protect the network and the database after a restart. */
export interface ConnectThrottle {
  /** Calls `open` once a slot is free, never before `request` returns. High priority goes first. */
  request(open: () => void, priority: ConnectPriority): ConnectSlot;
}

export type ConnectPriority = 'high' | 'normal';

export interface ConnectSlot {
  prioritize(): void;
  /** Frees the slot when the session is open or has failed, or withdraws a waiting request. Idempotent. */
  release(): void;
}

export interface ConnectRate {
  maxOpening: number;
  burst: number;
  /** After the burst, this many sessions open together every `everyMs`. Their statements and frames are batched. */
  batchSize: number;
  everyMs: number;
}

export function createConnectThrottle({
  maxOpening,
  burst,
  batchSize,
  everyMs,
}: ConnectRate): ConnectThrottle {
  const high = new Set<() => void>();
  const normal = new Set<() => void>();
  let opening = 0;
  let tokens = burst;
  let pausing = false;

  const openNext = () => {
    for (const waiting of [high, normal]) {
      for (const open of waiting) {
        if (opening >= maxOpening || tokens === 0) return;
        waiting.delete(open);
        opening += 1;
        tokens -= 1;
        pause();
        open();
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
    tokens = Math.min(burst, tokens + batchSize);
    if (tokens < burst) pause();
    openNext();
  };

  return {
    request(open, priority) {
      // A new function for each request: the same `open` may be requested twice.
      const own = () => open();
      let released = false;
      (priority === 'high' ? high : normal).add(own);
      queueMicrotask(openNext);
      return {
        prioritize() {
          if (normal.delete(own)) high.add(own);
        },
        release() {
          if (released) return;
          released = true;
          if (high.delete(own) || normal.delete(own)) return;
          opening -= 1;
          openNext();
        },
      };
    },
  };
}
