import fc from 'fast-check';
import { type FaultPointName, faultPoints } from '../../src/shared/fault-points.ts';
import type { Draw } from '../openapi/draw.ts';
import { faultPointLocations, getRole, type Role, type ServerName, serverNames } from './processes.ts';
import type { ProcessExit } from './supervised-process.ts';

/** The fault points (`name@N`) that are to come true in a process, over all its lives. */
export type FaultPointPlan = Partial<Record<ServerName, string[]>>;

/** At how many points, beside those of handing devices over. */
const armed: Record<Role, number> = { api: 3, pool: 3, worker: 2 };

/** Prime to the number of every role's turns: neighbours, which one operation passes in a row, are armed apart. */
const stride = 7;

/** Where only a pool comes that is told to hand its devices over. In every seed one pool is armed with one of them. */
const handingPoints: readonly FaultPointName[] = [
  'drain.after_close',
  'drain.after_give',
  'handover.after_close',
];

const isHanding = (point: string): boolean => handingPoints.some((handing) => handing === point);

/**
 * What a process is armed with in its next life, of what has not come true yet: all at once, it ends at the one that comes
 * first. A pool that is to hand devices over lives until it has some, armed with nothing else.
 */
export function selectNextFaultPoints(points: readonly string[]): readonly string[] {
  const first = points.filter((point) => isHanding(parsePointName(point)));
  return first.length > 0 ? first : points;
}

/** Takes from the process that ended the point at which it did; to any other, it is still to come true. */
export function removeReachedPoint(
  arms: Map<ServerName, string[]>,
  { process, point }: Pick<ProcessExit, 'process' | 'point'>,
): void {
  for (const [name, points] of arms) {
    if (name !== process) continue;
    arms.set(
      name,
      points.filter((arm) => parsePointName(arm) !== point),
    );
  }
}

/**
 * Goes round the points of each role, process by process and seed by seed, so that over a run each is armed as often as it
 * has turns.
 */
export function planFaultPoints(seed: number, draw: Draw): FaultPointPlan {
  const giving = `pool_${(seed % 2) + 1}`;
  const armsOf = (name: ServerName): string[] => {
    const role = getRole(name);
    const points = pointsOf(role);
    const first = (2 * seed + (name.endsWith('_1') ? 0 : 1)) * armed[role];
    const inTurn = Array.from(
      { length: armed[role] },
      (_, index) => points[((first + index) * stride) % points.length] ?? 'hints.before_notify',
    );
    const handing = handingPoints[seed % handingPoints.length] ?? 'handover.after_close';
    return [...(name === giving ? [handing] : []), ...inTurn].map(
      (point) => `${point}@${draw(fc.integer({ min: 1, max: faultPointLocations[point].within }))}`,
    );
  };
  return Object.fromEntries(serverNames.map((name) => [name, armsOf(name)]));
}

/** Each as often as it has turns. */
const pointsOf = (role: Role): FaultPointName[] =>
  faultPoints
    .filter((point) => faultPointLocations[point].roles.includes(role) && !isHanding(point))
    .flatMap((point) => Array<FaultPointName>(faultPointLocations[point].turns ?? 1).fill(point));

/** Without the count. */
export const parsePointName = (arm: string): string => arm.split('@')[0] ?? arm;
