import fc from 'fast-check';
import { type FaultPointName, faultPoints } from '../../src/platform/shared/fault-points.ts';
import type { Draw } from '../openapi/draw.ts';
import { faultPointLocations, getRole, type Role, type ServerName, serverNames } from './processes.ts';
import type { ProcessExit } from './supervised-process.ts';

/** The fault points (`name@N`) that each process should reach, over all its restarts. */
export type FaultPointPlan = Partial<Record<ServerName, string[]>>;

/** The number of points per process, apart from handover points. */
const pointsPerProcess: Record<Role, number> = { api: 3, pool: 3, worker: 2 };

/** Coprime to the number of points of every role. Spreads the points, so that one operation does not pass several. */
const stride = 11;

/** Only a pool that hands its devices over reaches these points. In every seed one pool is armed with one of them. */
const handoverPoints: readonly FaultPointName[] = [
  'drain.after_close',
  'drain.after_give',
  'handover.after_close',
];

const isHandoverPoint = (point: string): boolean =>
  handoverPoints.some((handoverPoint) => handoverPoint === point);

/**
 * Returns the points for the next start: all that were not reached yet, or only the handover point. A pool must live long
 * enough to have devices that it can hand over.
 */
export function selectNextFaultPoints(points: readonly string[]): readonly string[] {
  const first = points.filter((point) => isHandoverPoint(parsePointName(point)));
  return first.length > 0 ? first : points;
}

/** Removes a reached point from the process that ended there. Other processes keep it. */
export function removeReachedPoint(
  armedPoints: Map<ServerName, string[]>,
  { process, point }: Pick<ProcessExit, 'process' | 'point'>,
): void {
  for (const [name, points] of armedPoints) {
    if (name !== process) continue;
    armedPoints.set(
      name,
      points.filter((armed) => parsePointName(armed) !== point),
    );
  }
}

/** Cycles through the points of each role over processes and seeds, in proportion to their weights. */
export function planFaultPoints(seed: number, draw: Draw): FaultPointPlan {
  const drainingPool = `pool_${(seed % 2) + 1}`;
  const planPoints = (name: ServerName): string[] => {
    const role = getRole(name);
    const points = listPoints(role);
    const first = (2 * seed + (name.endsWith('_1') ? 0 : 1)) * pointsPerProcess[role];
    const rotated = Array.from(
      { length: pointsPerProcess[role] },
      (_, index) => points[((first + index) * stride) % points.length] ?? 'notifications.before_notify',
    );
    const handoverPoint = handoverPoints[seed % handoverPoints.length] ?? 'handover.after_close';
    return [...(name === drainingPool ? [handoverPoint] : []), ...rotated].map(
      (point) => `${point}@${draw(fc.integer({ min: 1, max: faultPointLocations[point].within }))}`,
    );
  };
  return Object.fromEntries(serverNames.map((name) => [name, planPoints(name)]));
}

/** Each point occurs `weight` times. */
const listPoints = (role: Role): FaultPointName[] =>
  faultPoints
    .filter((point) => faultPointLocations[point].roles.includes(role) && !isHandoverPoint(point))
    .flatMap((point) => Array<FaultPointName>(faultPointLocations[point].weight ?? 1).fill(point));

/** Returns the name without its count. */
export const parsePointName = (point: string): string => point.split('@')[0] ?? point;
