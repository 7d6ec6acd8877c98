import fc from 'fast-check';
import { chance, type Draw, oneOf } from '../openapi/draw.ts';
import { leaseSeconds } from './deployment.ts';
import { type FaultPointPlan, parsePointName } from './plan-fault-points.ts';
import { type ExternalName, externalNames, getRole, type ServerName, serverNames } from './processes.ts';
import { callNames, type ProviderFault, providerFaultKinds } from './provider/calls.ts';

/** A fault and its time, in milliseconds after the start. */
export type PlannedFault = { at: number } & (
  | { kind: 'kill'; process: ServerName | ExternalName }
  /** SIGTERM and a new start. */
  | { kind: 'stop'; process: ServerName }
  /** The same for a pool, once it hosts devices that another pool could take. */
  | { kind: 'hand over'; process: ServerName }
  /** Drains such a pool and stops it when it has no devices. */
  | { kind: 'drain'; process: ServerName }
  | { kind: 'pause'; process: ServerName; ms: number }
  | { kind: 'crash database'; awayMs: number }
  /** Cuts this share of the database connections. */
  | { kind: 'cut connections'; percent: number }
  | {
      kind: 'network';
      device: number;
      fault: 'drop' | 'lose_ack_next' | 'delay_acks';
      count: number;
      ms: number;
    }
  | ({ kind: 'provider' } & ProviderFault)
);

/** Kills every process at a random time, after which its fault points are armed. Adds at least two other faults. */
export function planFaults(
  draw: Draw,
  faultPoints: FaultPointPlan,
  crashesDatabase: boolean,
): PlannedFault[] {
  const at = (min: number, max: number) => draw(fc.integer({ min, max }));
  const faults: PlannedFault[] = [];
  for (const process of serverNames) {
    faults.push({ kind: 'kill', process, at: at(0, 1_000) });
    for (const point of faultPoints[process]?.map(parsePointName) ?? []) {
      if (point.startsWith('handover.')) faults.push({ kind: 'hand over', process, at: at(2_000, 5_000) });
      if (point.startsWith('drain.')) faults.push({ kind: 'drain', process, at: at(2_000, 5_000) });
    }
  }
  faults.push(...planPause(oneOf(draw, serverNames), at));
  faults.push({ kind: 'cut connections', at: at(500, 6_000), percent: at(10, 100) });
  if (chance(draw, 40) || crashesDatabase)
    faults.push({ kind: 'crash database', at: at(500, 6_000), awayMs: at(0, 600) });
  if (chance(draw, 30))
    faults.push({ kind: 'stop', process: oneOf(draw, serverNames), at: at(3_000, 6_000) });
  if (chance(draw, 50))
    faults.push({ kind: 'kill', process: oneOf(draw, externalNames), at: at(500, 6_000) });
  faults.push(...networkFaults(draw, at), ...providerFaults(draw, at));
  return faults.sort((a, b) => a.at - b.at);
}

type At = (min: number, max: number) => number;

/**
 * Pauses a process for longer than a lease, after the devices have recovered from the first kills. A paused worker is in
 * the middle of slow answers, which another worker takes over.
 */
function planPause(process: ServerName, at: At): PlannedFault[] {
  const begin = at(4_000, 6_000);
  const pause: PlannedFault = { kind: 'pause', process, at: begin, ms: leaseSeconds * 1000 + at(300, 1_000) };
  if (getRole(process) !== 'worker') return [pause];
  const slow = { kind: 'provider', call: 'step', effect: 'slow', count: 12, ms: 2_500 } as const;
  return [pause, { ...slow, at: begin - 500 }];
}

function networkFaults(draw: Draw, at: At): PlannedFault[] {
  return (['drop', 'lose_ack_next', 'delay_acks'] as const)
    .filter(() => chance(draw, 70))
    .map((fault) => ({
      kind: 'network',
      fault,
      device: draw(fc.nat(3)),
      count: at(1, 4),
      ms: at(200, 2_500),
      at: at(0, 6_000),
    }));
}

function providerFaults(draw: Draw, at: At): PlannedFault[] {
  return Array.from({ length: at(2, 4) }, () => ({
    kind: 'provider',
    call: chance(draw, 50) ? 'step' : oneOf(draw, callNames),
    effect: oneOf(draw, providerFaultKinds),
    count: at(1, 5),
    ms: at(200, 3_000),
    at: at(0, 6_000),
  }));
}
