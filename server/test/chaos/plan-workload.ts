import fc from 'fast-check';
import { chance, type Draw } from '../openapi/draw.ts';
import { firstHalfMs } from './plan-clock.ts';

/** A request of the partner. Steps with the same `lane` run one after another. */
export type WorkloadStep = { at: number; lane: string } & (
  | { kind: 'send'; device: number; toUnknown: boolean; rewritten: boolean }
  | { kind: 'upload'; thenDelete: boolean }
  | { kind: 'publish'; team: number; withDocument: boolean }
  | { kind: 'create bot'; thenDelete: boolean }
  | { kind: 'create team'; withObjects: boolean; thenDelete: boolean }
  | { kind: 'create device' }
  /** Stops a device that has chats, and connects it again. */
  | { kind: 'stop and connect'; device: number }
  /** Unlinks the device without chats, and links it again. */
  | { kind: 'relink' }
);

const numbers = { send: 30, upload: 8, publish: 6, 'create bot': 5, 'create team': 3 } as const;
const lastBegin = 6_000;

export function planWorkload(draw: Draw): WorkloadStep[] {
  const at = () => draw(fc.nat(lastBegin));
  // Few steps reach the fault points of linking and unlinking.
  const whenArmed = () => draw(fc.integer({ min: firstHalfMs, max: lastBegin }));
  const many = (count: number, step: (n: number) => WorkloadStep) =>
    Array.from({ length: count }, (_, n) => step(n));
  const steps: WorkloadStep[] = [
    ...many(numbers.send, (n) => ({
      kind: 'send',
      at: at(),
      lane: `send ${n}`,
      device: draw(fc.nat(3)),
      toUnknown: chance(draw, 20),
      rewritten: n % 3 === 0,
    })),
    ...many(numbers.upload, (n) => ({
      kind: 'upload',
      at: at(),
      lane: `upload ${n}`,
      thenDelete: chance(draw, 40),
    })),
    ...many(numbers.publish, (n) => ({
      kind: 'publish',
      at: at(),
      lane: `publish ${n % 2}`,
      team: n % 2,
      withDocument: chance(draw, 50),
    })),
    ...many(numbers['create bot'], (n) => ({
      kind: 'create bot',
      at: at(),
      lane: `bot ${n}`,
      thenDelete: chance(draw, 50),
    })),
    ...many(numbers['create team'], (n) => ({
      kind: 'create team',
      at: at(),
      lane: `team ${n}`,
      withObjects: chance(draw, 50),
      thenDelete: chance(draw, 60),
    })),
    { kind: 'create device', at: at(), lane: 'device' },
    ...many(2, () => ({ kind: 'stop and connect', at: at(), lane: 'stop', device: draw(fc.nat(3)) })),
    ...many(6, () => ({ kind: 'relink', at: whenArmed(), lane: 'relink' })),
  ];
  return steps.sort((a, b) => a.at - b.at);
}
