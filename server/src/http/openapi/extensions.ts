/**
 * Moves the mark of an extension from a parameter's or header's schema to the parameter or header itself, of which the
 * schema is all that a route declares.
 */
export function markParameters<Document extends object>(document: Document): Document {
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mark(member)]));
    const { schema } = copy;
    if (typeof schema !== 'object' || schema === null || !('x-extension' in schema)) return copy;
    const { 'x-extension': extension, ...unmarked } = schema;
    return { ...copy, 'x-extension': extension, schema: unmarked };
  };
  // A copy: the shape that came in goes out, but for the marks.
  return mark(document) as Document;
}
