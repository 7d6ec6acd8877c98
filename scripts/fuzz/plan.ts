import { chance, type Draw, oneOf } from '../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import { addressMischief } from './mutators/addresses.ts';
import { bodyMischief } from './mutators/bodies.ts';
import { headerMischief } from './mutators/headers.ts';
import { memberMischief } from './mutators/members.ts';
import type { Mischief } from './mutators/mischief.ts';
import { tokenMischief } from './mutators/tokens.ts';
import { uploadMischief } from './mutators/uploads.ts';

/** What comes next: an operation, and the mischief that is done to its request, if any. */
export type Plan = (draw: Draw) => { operation: ApiOperation; mischief: Mischief | null };

/** Of a hundred requests so many are hostile, once every way of being so has had its turn. */
const hostilePercent = 60;

/** Of the hostile ones so many change members of a body: there are more ways to do that than any other. */
const memberPercent = 60;

/** Operations in turn. Each begins with good and hostile requests by turns, until it has seen every mischief. */
export function createPlan(operations: readonly ApiOperation[]): Plan {
  const members = memberMischief();
  const every = [
    ...tokenMischief,
    ...addressMischief,
    ...uploadMischief,
    ...bodyMischief,
    ...members,
    ...headerMischief,
  ];
  const waysOf = new Map(
    operations.map((operation) => [operation, every.filter((m) => m.applies(operation))]),
  );
  let turn = 0;
  return (draw) => {
    const round = Math.floor(turn / operations.length);
    const operation = operations[turn % operations.length];
    turn += 1;
    if (operation === undefined) throw new Error('the document has no operations');
    const ways = waysOf.get(operation) ?? [];
    const next = ways[(round - 1) / 2];
    if (round < 2 * ways.length) return { operation, mischief: next ?? null };
    if (!chance(draw, hostilePercent)) return { operation, mischief: null };
    const within = operation.body !== null && chance(draw, memberPercent);
    return { operation, mischief: oneOf(draw, within ? members : ways) };
  };
}
