import fc from 'fast-check';
import { type FaultPoint, faultPoints } from '../../src/shared/faults.ts';
import type { Draw } from '../openapi/draw.ts';
import { roleOf, type ServerName, serverNames, whereabouts } from './processes.ts';

/** The fault points (`name@N`) that each process is armed with, one life after the other. */
export type Arms = Record<ServerName, string[]>;

const livesArmed = 3;

/** Goes round the points of each role from seed to seed, so that over a run each is armed about equally often. */
export function planArms(seed: number, draw: Draw): Arms {
  const arms = {} as Arms; // filled below, for every name
  for (const [place, name] of serverNames.entries()) {
    const points = pointsOf(name);
    const stride = strideOver(points.length);
    arms[name] = Array.from({ length: livesArmed }, (_, life) => {
      const index = (seed * stride + (place % 2) * 7 + life * 2) % points.length;
      const point = points[index] ?? 'hints.before_notify';
      return `${point}@${draw(fc.integer({ min: 1, max: whereabouts[point].within }))}`;
    });
  }
  return arms;
}

const pointsOf = (name: ServerName): FaultPoint[] =>
  faultPoints.filter((point) => whereabouts[point].roles.includes(roleOf(name)));

/** Comes by every place before it comes by one again. */
function strideOver(places: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = 5;
  while (divisor(stride, places) !== 1) stride += 1;
  return stride;
}

/** Without the count. */
export const pointOf = (arm: string): string => arm.split('@')[0] ?? arm;
