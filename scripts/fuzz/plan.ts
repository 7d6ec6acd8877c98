import { chance, type Draw, oneOf } from '../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import { bodyMutators } from './mutators/bodies.ts';
import { createFieldMutators } from './mutators/fields.ts';
import { headerMutators } from './mutators/headers.ts';
import type { Mutator } from './mutators/mutator.ts';
import { tokenMutators } from './mutators/tokens.ts';
import { uploadMutators } from './mutators/uploads.ts';
import { urlMutators } from './mutators/urls.ts';

/** Chooses the next operation, and the mutator for its request, if any. */
export type Plan = (draw: Draw) => { operation: ApiOperation; mutator: Mutator | null };

/** The share of mutated requests, once every mutator has been used. */
const mutatedPercent = 60;

/** The share of mutated requests that change body fields. These have the most variants. */
const fieldPercent = 60;

/** Cycles through the operations. Each alternates valid and mutated requests until it has seen every mutator. */
export function createPlan(operations: readonly ApiOperation[]): Plan {
  const fieldMutators = createFieldMutators();
  const all = [
    ...tokenMutators,
    ...urlMutators,
    ...uploadMutators,
    ...bodyMutators,
    ...fieldMutators,
    ...headerMutators,
  ];
  const mutatorsFor = new Map(
    operations.map((operation) => [operation, all.filter((m) => m.applies(operation))]),
  );
  let turn = 0;
  return (draw) => {
    const round = Math.floor(turn / operations.length);
    const operation = operations[turn % operations.length];
    turn += 1;
    if (operation === undefined) throw new Error('the OpenAPI document has no operations');
    const applicable = mutatorsFor.get(operation) ?? [];
    const next = applicable[(round - 1) / 2];
    if (round < 2 * applicable.length) return { operation, mutator: next ?? null };
    if (!chance(draw, mutatedPercent)) return { operation, mutator: null };
    const inFields = operation.body !== null && chance(draw, fieldPercent);
    return { operation, mutator: oneOf(draw, inFields ? fieldMutators : applicable) };
  };
}
