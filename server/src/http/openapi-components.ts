/**
 * Moves every schema that bears a title into `components.schemas` under that title and leaves a reference, so that the
 * document names Team and Bot once. A title stands for one shape: two shapes under one title are a programming error.
 */
export function hoistComponents<Document extends object>(document: Document): Document {
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
