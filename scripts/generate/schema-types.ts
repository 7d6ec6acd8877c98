/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

export const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns the declaration of a named TypeScript type. */
export function declaredType(name: string, schema: Schema): string {
  return `${documented(schema.description, '')}export type ${name} = ${typeOf(schema)};\n`;
}

/** Returns one line of an object type, with its description. */
export function memberOf(name: string, schema: Schema, required: boolean): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  const optional = required ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`;
  return `${documented(schema.description)}  ${key}${optional};\n`;
}

export const documented = (description: string | undefined, indent = '  '): string =>
  description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`;

/** Returns the TypeScript type of a schema. A schema without a known keyword is `unknown`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return union(alternatives.map(typeOf));
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.format === 'binary') return 'Upload';
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `${parenthesized(typeOf(schema.items ?? {}))}[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) =>
    memberOf(name, schema, required.includes(name)),
  );
  if (typeof additionalProperties === 'object') {
    if (members.length === 0) return `Record<string, ${typeOf(additionalProperties)}>`;
    // An index signature must allow the types of all members.
    const types = [additionalProperties, ...Object.values(properties)].map(typeOf);
    members.push(`  [name: string]: ${union([...types, 'undefined'])};\n`);
  }
  if (additionalProperties === true) members.push('  [name: string]: unknown;\n');
  return members.length === 0 ? 'Record<string, unknown>' : `{\n${members.join('')}}`;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const parenthesized = (type: string): string => (/^[\w.]+$/.test(type) ? type : `(${type})`);
