import fc from 'fast-check';

/** Returns the next random value. The same seed gives the same sequence. */
export type Draw = <Value>(arbitrary: fc.Arbitrary<Value>) => Value;

export function createDraw(seed: number): Draw {
  const [generate] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  if (generate === undefined) throw new Error('fast-check returned no generator');
  return (arbitrary) => generate(() => arbitrary);
}

/** Returns true with this probability, in percent. */
export const chance = (draw: Draw, percent: number): boolean => draw(fc.nat(99)) < percent;

export function oneOf<Value>(draw: Draw, values: readonly Value[]): Value {
  return draw(fc.constantFrom(...values));
}
