import type { Static, TArray, TObject, TSchema } from 'typebox';
import { Check } from 'typebox/value';

/**
 * Reads what another system sent. Leaves out known members and items that do not have their shape, and keeps unknown members.
 * Returns undefined if the value itself does not have its shape, or lacks a required member.
 */
export const readShape = <Shape extends TSchema>(schema: Shape, value: unknown): Static<Shape> | undefined =>
  read(schema, value) as Static<Shape> | undefined; // `read` checked every member of the shape

function read(schema: TSchema, value: unknown): unknown {
  if (isObjectSchema(schema)) return readObject(schema, value);
  if (isArraySchema(schema)) {
    if (!Array.isArray(value)) return undefined;
    return value.map((item) => read(schema.items, item)).filter((item) => item !== undefined);
  }
  return Check(schema, value) ? value : undefined;
}

function readObject({ properties, required }: TObject, value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  for (const [name, schema] of Object.entries(properties)) {
    const member = read(schema, members.get(name));
    if (member !== undefined) members.set(name, member);
    else if (required?.includes(name)) return undefined;
    else members.delete(name);
  }
  return Object.fromEntries(members);
}

const isObjectSchema = (schema: TSchema): schema is TObject => 'properties' in schema;
const isArraySchema = (schema: TSchema): schema is TArray => 'items' in schema;
