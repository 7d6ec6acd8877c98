import { type TSchema, Type } from 'typebox';
import type { ToolParameter } from './assistant-provider.ts';

/** Returns the JSON Schema of a tool's arguments. */
export function toolSchema(parameters: readonly ToolParameter[]): TSchema {
  const members = parameters.map(({ name, type, description, required }) => {
    const schema = scalars[type](description === '' ? {} : { description });
    return [name, required ? schema : Type.Optional(schema)] as const;
  });
  return Type.Object(Object.fromEntries(members), { additionalProperties: false });
}

type Annotations = { description?: string };

const scalars = {
  string: (options: Annotations): TSchema => Type.String(options),
  number: (options: Annotations): TSchema => Type.Number(options),
  boolean: (options: Annotations): TSchema => Type.Boolean(options),
};
