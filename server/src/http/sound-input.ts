import type { ErrorObject } from 'ajv';

/**
 * Input as far as its schema found it sound: a member that is missing though required, or faulty by itself, is there as
 * undefined, which JSON never holds. What rules beyond the schema judge, so that one answer names the faults of both.
 */
export type Sound<Value> = Value extends readonly (infer Item)[]
  ? readonly (Sound<Item> | undefined)[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: Sound<Value[Name]> | undefined }
    : Value;

/** These say something of the whole list or object, whose members may be sound. */
const ofTheWhole = new Set([
  'additionalProperties',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
]);

/** `value` without what the errors of its schema are about; `{}` where nothing of it is sound. */
export function soundPart(value: unknown, errors: readonly ErrorObject[]): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  if (errors.length === 0) return value;
  const sound = structuredClone(value);
  for (const { keyword, instancePath, params } of errors) {
    if (ofTheWhole.has(keyword)) continue;
    const path = instancePath.split('/').slice(1).map(unescaped);
    if (keyword === 'required') path.push(String(params['missingProperty']));
    blank(sound, path);
  }
  return sound;
}

/** What a path of ajv writes for `/` and `~` in the name of a member. */
export const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

function blank(within: object, path: readonly string[]): void {
  const [name, ...further] = path;
  if (name === undefined) return;
  // A list is an object with its indices as names.
  const members = within as Record<string, unknown>;
  if (further.length === 0) members[name] = undefined;
  else if (Object.hasOwn(members, name) && typeof members[name] === 'object' && members[name] !== null) {
    blank(members[name], further);
  }
}

/** The value where all of it is sound, else undefined. */
export function whole<Value>(value: Sound<Value> | undefined): Value | undefined {
  // Sound differs from the value itself only in what is undefined.
  return isWhole(value) ? (value as Value) : undefined;
}

const isWhole = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isWhole) : value !== undefined;
