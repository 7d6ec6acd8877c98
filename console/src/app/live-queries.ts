let isAlive = false;

export function setFeedState(state: 'alive' | 'dead'): void {
  isAlive = state === 'alive';
}

/**
 * How long a query that the live feed refreshes waits before it reads again: `deadMs` while no event would tell, else `aliveMs`, for
 * changes without an event, such as the work of a colleague.
 */
export const whileFeedIsDead =
  (deadMs: number, aliveMs = 60_000) =>
  (): number =>
    isAlive ? aliveMs : deadMs;
