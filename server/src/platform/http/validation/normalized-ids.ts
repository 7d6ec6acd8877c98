import type { TSchema } from 'typebox';

/** Path to an id within a value. `*` stands for every list item. */
type IdPath = readonly string[];

const everyItem = '*';

/** Lowercases ids. PostgreSQL accepts UUIDs in either case, but Parley also compares ids as text. */
export function createIdNormalizer(): (schema: TSchema, value: unknown) => void {
  const pathsBySchema = new WeakMap<TSchema, IdPath[]>();
  return (schema, value) => {
    let paths = pathsBySchema.get(schema);
    if (paths === undefined) {
      paths = findIdPaths(schema);
      pathsBySchema.set(schema, paths);
    }
    for (const path of paths) lowerCaseIds(value, path);
  };
}

function findIdPaths(schema: object): IdPath[] {
  const { format, properties, items, anyOf } = schema as {
    format?: string;
    properties?: Record<string, object>;
    items?: object;
    anyOf?: object[];
  };
  const findBelow = (name: string, member: object): IdPath[] =>
    findIdPaths(member).map((path) => [name, ...path]);
  return [
    ...(format === 'uuid' ? [[]] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => findBelow(name, member)),
    ...(items === undefined ? [] : findBelow(everyItem, items)),
    ...(anyOf ?? []).flatMap(findIdPaths),
  ];
}

function lowerCaseIds(parent: unknown, [name, ...rest]: IdPath): void {
  if (name === undefined || typeof parent !== 'object' || parent === null) return;
  // Arrays are objects with their indices as names.
  const members = parent as Record<string, unknown>;
  for (const key of name === everyItem ? Object.keys(parent) : [name]) {
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    if (rest.length > 0) lowerCaseIds(value, rest);
    else if (typeof value === 'string') members[key] = value.toLowerCase();
  }
}
