import type { TSchema } from 'typebox';

/** Where a schema has ids: the names of the members on the way, `*` for each of a list. */
type Place = readonly string[];

const each = '*';

/**
 * Puts the ids of a value into small letters, where its schema says that they are. A UUID in capitals names what it names
 * in small letters, and the database takes both; but ids are also told apart as text. So every id of a request is in
 * small letters, as ours are.
 */
export function createIdNormalizer(): (schema: TSchema, value: unknown) => void {
  const known = new WeakMap<TSchema, Place[]>();
  return (schema, value) => {
    const places = known.get(schema) ?? placesOf(schema);
    known.set(schema, places);
    for (const place of places) lowerCase(value, place);
  };
}

function placesOf(schema: object): Place[] {
  const { format, properties, items, anyOf } = schema as {
    format?: string;
    properties?: Record<string, object>;
    items?: object;
    anyOf?: object[];
  };
  const below = (name: string, member: object): Place[] => placesOf(member).map((place) => [name, ...place]);
  return [
    ...(format === 'uuid' ? [[]] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => below(name, member)),
    ...(items === undefined ? [] : below(each, items)),
    ...(anyOf ?? []).flatMap(placesOf),
  ];
}

/** Whatever the value is: it has not been validated. */
function lowerCase(within: unknown, [name, ...further]: Place): void {
  if (name === undefined || typeof within !== 'object' || within === null) return;
  // A list is an object with its indices as names.
  const members = within as Record<string, unknown>;
  for (const at of name === each ? Object.keys(within) : [name]) {
    const value = Object.hasOwn(members, at) ? members[at] : undefined;
    if (further.length > 0) lowerCase(value, further);
    else if (typeof value === 'string') members[at] = value.toLowerCase();
  }
}
