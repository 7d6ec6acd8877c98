import { isDeepStrictEqual } from 'node:util';

/** Moves every titled schema to `components.schemas` and leaves a reference. Throws if two schemas share a title. */
export function hoistSchemas<Document extends object>(document: Document): Document {
  const components = new Map<string, { schema: unknown; text: string }>();

  const hoist = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hoist);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hoist(member)]));
    const { title, type } = copy;
    if (typeof title !== 'string' || (type === undefined && copy['anyOf'] === undefined)) return copy;
    remember(title, copy);
    return { $ref: `#/components/schemas/${title}` };
  };

  const remember = (title: string, schema: Record<string, unknown>) => {
    const { title: _, ...shape } = schema;
    const text = JSON.stringify(shape);
    const known = components.get(title);
    if (known !== undefined && known.text !== text) throw new Error(`two schemas are titled ${title}`);
    components.set(title, { schema: shape, text });
  };

  const { paths, ...rest } = document as Document & { paths?: unknown; components?: object };
  const hoisted = hoist(paths);
  const schemas = Object.fromEntries([...components].sort().map(([title, { schema }]) => [title, schema]));
  // The type of the document does not change.
  return { ...rest, components: { ...rest.components, schemas }, paths: hoisted } as unknown as Document;
}

/** Moves every response header to `components.headers`. Throws if two headers share a name. */
export function hoistHeaders<Document extends object>(document: Document): Document {
  const headers = new Map<string, unknown>();

  const refer = ([name, header]: [string, unknown]) => {
    const known = headers.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, header))
      throw new Error(`two headers are called ${name}`);
    headers.set(name, header);
    return [name, { $ref: `#/components/headers/${name}` }];
  };

  const hoist = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hoist);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, hoist(member)]);
    const copy = Object.fromEntries(members);
    if (!('headers' in copy && 'content' in copy)) return copy;
    return { ...copy, headers: Object.fromEntries(Object.entries(copy['headers'] as object).map(refer)) };
  };

  const { paths, ...rest } = document as Document & { paths?: unknown; components?: object };
  const hoisted = hoist(paths);
  // The type of the document does not change.
  return {
    ...rest,
    components: { ...rest.components, headers: Object.fromEntries([...headers].sort()) },
    paths: hoisted,
  } as unknown as Document;
}

/** Moves `x-extension` from the schema of a parameter or header to the parameter or header. Routes declare only schemas. */
export function hoistExtensionMarks<Document extends object>(document: Document): Document {
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mark(member)]));
    const { schema } = copy;
    if (typeof schema !== 'object' || schema === null || !('x-extension' in schema)) return copy;
    const { 'x-extension': extension, ...unmarked } = schema;
    return { ...copy, 'x-extension': extension, schema: unmarked };
  };
  // The type of the document does not change.
  return mark(document) as Document;
}
