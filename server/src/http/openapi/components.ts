import { isDeepStrictEqual } from 'node:util';

/**
 * Moves every schema that bears a title into `components.schemas` under that title and leaves a reference, so that the
 * document names Team and Bot once. A title stands for one shape: two shapes under one title are a programming error.
 */
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
  // The same document with its paths' schemas moved: the shape that came in goes out.
  return { ...rest, components: { ...rest.components, schemas }, paths: hoisted } as unknown as Document;
}

/**
 * Moves every header of a response into `components.headers` under its name: nearly all responses carry the same ones. A
 * name stands for one shape there too.
 */
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
    // Only responses have both.
    if (!('headers' in copy && 'content' in copy)) return copy;
    return { ...copy, headers: Object.fromEntries(Object.entries(copy['headers'] as object).map(refer)) };
  };

  const { paths, ...rest } = document as Document & { paths?: unknown; components?: object };
  const hoisted = hoist(paths);
  // The same document with its paths' headers moved: the shape that came in goes out.
  return {
    ...rest,
    components: { ...rest.components, headers: Object.fromEntries([...headers].sort()) },
    paths: hoisted,
  } as unknown as Document;
}
