import fc from 'fast-check';
import { createDraw, type Draw } from '../openapi/draw.ts';
import { type FaultPointPlan, planFaultPoints } from './plan-fault-points.ts';
import { type PlannedFault, planFaults } from './plan-faults.ts';
import { planWorkload, type WorkloadStep } from './plan-workload.ts';

/** A message that a contact writes. */
export interface PlannedInbound {
  /** Milliseconds after the start, like all times of a plan. */
  at: number;
  contact: number;
  /** The answer needs the partner's action. */
  wantsAction: boolean;
}

/** Everything that a seed decides. The same seed gives the same plan. */
export interface Plan {
  seed: number;
  /** Monthly quota of the limited team. */
  activeMessages: number;
  inbound: PlannedInbound[];
  steps: WorkloadStep[];
  faults: PlannedFault[];
  faultPoints: FaultPointPlan;
}

export const contacts = 100;
/** No step begins after this time. */
export const windowMs = 6_500;

export function createPlan(seed: number, { crashesDatabase }: { crashesDatabase: boolean }): Plan {
  const draw = createDraw(seed);
  const faultPoints = planFaultPoints(seed, draw);
  return {
    seed,
    activeMessages: draw(fc.integer({ min: 3, max: 12 })),
    inbound: planInbound(draw),
    steps: planWorkload(draw),
    faults: planFaults(draw, faultPoints, crashesDatabase),
    faultPoints,
  };
}

/** Every contact writes once or twice. */
function planInbound(draw: Draw): PlannedInbound[] {
  const times = (contact: number) =>
    draw(fc.array(fc.nat(windowMs), { minLength: 1, maxLength: 2 }))
      .sort((a, b) => a - b)
      .map((at) => ({ at, contact, wantsAction: contact % 4 === 0 }));
  return Array.from({ length: contacts }, (_, contact) => times(contact))
    .flat()
    .sort((a, b) => a.at - b.at);
}
