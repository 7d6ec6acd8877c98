import fc from 'fast-check';
import { type Draw, drawFrom } from '../openapi/draw.ts';
import { type Arms, planArms } from './arms.ts';
import { type Fault, planFaults } from './plan-faults.ts';
import { type Deed, planDeeds } from './plan-workload.ts';

/** What a contact writes, and when. */
export interface PlannedInbound {
  /** Milliseconds after the beginning; so are all times of a plan. */
  at: number;
  contact: number;
  /** Asks for the partner's action. */
  wantsAction: boolean;
}

/** Everything that a seed decides: the same seed makes the same plan. */
export interface Plan {
  seed: number;
  /** Of the limited team, a month. */
  activeMessages: number;
  inbound: PlannedInbound[];
  deeds: Deed[];
  faults: Fault[];
  arms: Arms;
}

export const contacts = 100;
/** Nothing is begun after this time. */
export const windowMs = 6_500;

export function planOf(seed: number): Plan {
  const draw = drawFrom(seed);
  const arms = planArms(seed, draw);
  return {
    seed,
    activeMessages: draw(fc.integer({ min: 3, max: 12 })),
    inbound: planInbound(draw),
    deeds: planDeeds(draw),
    faults: planFaults(draw, arms),
    arms,
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
