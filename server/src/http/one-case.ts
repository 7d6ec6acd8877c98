import type { Ajv } from 'ajv';
import type { TSchema } from 'typebox';

const keyword = 'inSmallLetters';

/**
 * A UUID in capitals names what it names in small letters, and the database takes both; but ids are also told apart as
 * text. So every id of a request is in small letters, as ours are, once it is validated.
 */
export function installOneCase(ajv: Ajv): void {
  ajv.addKeyword({
    keyword,
    type: 'string',
    modifying: true,
    errors: false,
    validate: (
      _: true,
      text: string,
      __: unknown,
      at?: { parentData: object; parentDataProperty: unknown },
    ) => {
      if (at !== undefined) Reflect.set(at.parentData, String(at.parentDataProperty), text.toLowerCase());
      return true;
    },
  });
}

/** The schema, with that said of each of its ids. */
export const withIdsInOneCase = (schema: TSchema): TSchema =>
  JSON.parse(
    JSON.stringify(schema, (_, member: unknown) => (isId(member) ? { ...member, [keyword]: true } : member)),
  );

const isId = (member: unknown): member is object =>
  typeof member === 'object' && member !== null && 'format' in member && member.format === 'uuid';

/** Where a schema has ids: the names of the members on the way, `*` for each of a list. */
type Place = readonly string[];

const each = '*';

/** Puts the ids of a value into small letters, where its schema says that they are. */
export function createOneCase(): (schema: TSchema, value: unknown) => void {
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
