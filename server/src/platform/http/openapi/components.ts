import { isDeepStrictEqual } from 'node:util';

interface Described {
  paths?: unknown;
  components?: { responses?: unknown };
}

/** Applies `change` to the paths and the shared responses. The type of the document does not change. */
function changeDescriptions<Document extends object>(
  document: Document,
  change: (value: unknown) => unknown,
): Document {
  const { paths, components, ...rest } = document as Document & Described;
  const { paths: changedPaths, responses } = change({ paths, responses: components?.responses }) as {
    paths: unknown;
    responses: unknown;
  };
  return {
    ...rest,
    components: { ...components, ...(responses === undefined ? {} : { responses }) },
    paths: changedPaths,
  } as unknown as Document;
}

/** Adds a section to the components. The type of the document does not change. */
const withComponents = <Document extends object>(document: Document, section: object): Document => ({
  ...document,
  components: { ...(document as { components?: object }).components, ...section },
});

/** Moves every titled schema to `components.schemas` and leaves a reference. Throws if two schemas share a title. */
export function hoistSchemas<Document extends object>(document: Document): Document {
  const components = new Map<string, { schema: unknown; text: string }>();

  const hoist = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hoist);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hoist(member)]));
    const { title, type } = copy;
    const isSchema = type !== undefined || copy['anyOf'] !== undefined || copy['oneOf'] !== undefined;
    if (typeof title !== 'string' || !isSchema) return copy;
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

  const hoisted = changeDescriptions(document, hoist);
  const schemas = Object.fromEntries([...components].sort().map(([title, { schema }]) => [title, schema]));
  return withComponents(hoisted, { schemas });
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

  const hoisted = changeDescriptions(document, hoist);
  return withComponents(hoisted, { headers: Object.fromEntries([...headers].sort()) });
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

interface RequestBody {
  required?: boolean;
  content: { 'application/json'?: { schema: Record<string, unknown> } };
}

/** The plugin requires every body. Moves `x-optional` from the schema of a body to the body. */
export function releaseOptionalBodies<Document extends object>(document: Document): Document {
  const release = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(release);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, release(member)]));
    // Only operations have this member.
    const json = (copy['requestBody'] as RequestBody | undefined)?.content['application/json'];
    if (json?.schema['x-optional'] !== true) return copy;
    const { 'x-optional': _, ...schema } = json.schema;
    return {
      ...copy,
      requestBody: { required: false, content: { 'application/json': { ...json, schema } } },
    };
  };
  // The type of the document does not change.
  return release(document) as Document;
}
