import { createBoundedMap } from '../../../platform/shared/bounded-map.ts';

/** A team may waste this share of a reader's time. */
const toleratedShare = 0.1;
const maxTeams = 10_000;

interface Waste {
  /** The wasted time as of `at`. From then on, it shrinks by `toleratedShare` of the time that passes. */
  ms: number;
  at: number;
  waitsUntil: number;
}

export interface WastedTime {
  /** Records a document that took this long and had no text. */
  add(teamId: string, ms: number): void;
  /** Returns how long the team must wait for its next reader. Infinity: until a running team is done. */
  getDelayMs(teamId: string, runningTeams: Iterable<string>): number;
}

/**
 * Delays teams whose documents keep readers busy and have no text. A team's first such document causes no delay. Each later
 * one delays the team by the time that the earlier ones wasted. Together, such teams leave one reader to the other teams.
 */
export function createWastedTime({
  readers,
  now = () => performance.now(),
}: {
  readers: number;
  now?: () => number;
}): WastedTime {
  const wastes = createBoundedMap<string, Waste>(maxTeams);
  const getWastedMs = (teamId: string): number => {
    const waste = wastes.get(teamId);
    return waste === undefined ? 0 : Math.max(0, waste.ms - (now() - waste.at) * toleratedShare);
  };
  return {
    add(teamId, ms) {
      const earlierMs = getWastedMs(teamId);
      wastes.set(teamId, { ms: earlierMs + ms, at: now(), waitsUntil: now() + earlierMs });
    },
    getDelayMs(teamId, runningTeams) {
      const delayMs = (wastes.get(teamId)?.waitsUntil ?? 0) - now();
      if (delayMs > 0) return delayMs;
      if (getWastedMs(teamId) === 0) return 0;
      const wastefulRunning = [...runningTeams].filter((running) => getWastedMs(running) > 0);
      return wastefulRunning.length < Math.max(1, readers - 1) ? 0 : Number.POSITIVE_INFINITY;
    },
  };
}
