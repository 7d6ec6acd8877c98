import fc from 'fast-check';
import { type FaultPoint, faultPoints } from '../../src/shared/faults.ts';
import type { Draw } from '../openapi/draw.ts';
import { type Role, roleOf, type ServerName, whereabouts } from './processes.ts';

/** The fault points (`name@N`) that a process is armed with, one life after the other; none for those left out. */
export type Arms = Partial<Record<ServerName, string[]>>;

/** So many of a process's lives: an api is back soon, a pool's devices wait for a lease every time. */
const livesArmed: Record<Role, number> = { api: 4, pool: 3, worker: 3 };

/**
 * Both pools, one api and one worker are armed; the others keep the service going. Goes round the points of each role from
 * seed to seed, so that over a run each is armed about equally often.
 */
export function planArms(seed: number, draw: Draw): Arms {
  const turn = (seed % 2) + 1;
  const arm = (name: ServerName, place: number): string[] => {
    const points = pointsOf(name);
    const lives = livesArmed[roleOf(name)];
    return Array.from({ length: lives }, (_, life) => {
      const round = Math.floor((place * lives) / points.length);
      const point = points[(place * lives + round + life) % points.length] ?? 'hints.before_notify';
      return `${point}@${draw(fc.integer({ min: 1, max: whereabouts[point].within }))}`;
    });
  };
  return {
    [`api_${turn}`]: arm('api_1', seed),
    pool_1: arm('pool_1', 2 * seed),
    pool_2: arm('pool_2', 2 * seed + 1),
    [`worker_${turn}`]: arm('worker_1', seed),
  };
}

const pointsOf = (name: ServerName): FaultPoint[] =>
  faultPoints.filter((point) => whereabouts[point].roles.includes(roleOf(name)));

/** Without the count. */
export const pointOf = (arm: string): string => arm.split('@')[0] ?? arm;
