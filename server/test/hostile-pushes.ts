import fc from 'fast-check';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const pathsOf = (value: Json, path: string[] = []): string[][] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))
    : []),
];

function replaceAt(value: Json, [name, ...rest]: readonly string[], by: Json): Json {
  if (name === undefined) return by;
  if (typeof value !== 'object' || value === null) return value;
  const copy = structuredClone(value) as Record<string, Json>;
  copy[name] = replaceAt(copy[name] ?? null, rest, by);
  return copy;
}

const wrong: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(null, true, -1, 1.5, 1e300, '', '\0', '\ud83d', [], {}, [null], [[]], [{}], {
    id: null,
  }),
  fc.constantFrom<Json[]>('x'.repeat(20_000), { a: { b: [1, null, 'c'] } }, ['a', 1], { length: 9 }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

/** One of the bodies with some of its members replaced by values of other types. */
export const damaged = (bodies: readonly object[]): fc.Arbitrary<object> =>
  fc
    .record({
      body: fc.constantFrom(...bodies),
      places: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      by: wrong,
    })
    .map(({ body, places, by }) =>
      places.reduce<Json>((damagedBody, place) => {
        // The whole body stays an object, so that the network still recognizes it.
        const paths = pathsOf(damagedBody).filter(({ length }) => length > 0);
        return replaceAt(damagedBody, paths[place % Math.max(1, paths.length)] ?? [], by);
      }, body as Json),
    )
    .map((body) => (typeof body === 'object' && body !== null ? body : {}));
