import type { Fault } from './schema-issues.ts';

/**
 * Input as far as its schema found it sound: a member that is missing though required, or faulty by itself, is there as
 * undefined, which JSON never holds. What rules beyond the schema judge, so that one answer names the faults of both.
 */
export type ValidInput<Value> = Value extends readonly (infer Item)[]
  ? readonly (ValidInput<Item> | undefined)[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: ValidInput<Value[Name]> | undefined }
    : Value;

/** These say something of the whole list or object, whose members may be sound. */
const ofTheWhole = new Set(['additionalProperties', 'minItems', 'minProperties']);

/** `value` without what its faults are about; `{}` where nothing of it is sound. */
export function keepValidInput(value: unknown, faults: readonly Fault[]): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const faulty = faults.filter(({ keyword }) => !ofTheWhole.has(keyword));
  if (faulty.length === 0) return value;
  const sound = { ...value };
  const copies = new Set<object>([sound]);
  for (const { at } of faulty) blank(sound, at, copies);
  return sound;
}

/** Only what leads to a fault is copied: what is beyond a limit is as large as a body can be. */
function blank(within: object, at: readonly string[], copies: Set<object>): void {
  const [name, ...further] = at;
  if (name === undefined) return;
  // A list is an object with its indices as names.
  const members = within as Record<string, unknown>;
  const member = members[name];
  if (further.length === 0) members[name] = undefined;
  else if (Object.hasOwn(members, name) && typeof member === 'object' && member !== null) {
    const own = copies.has(member) ? member : copyOf(member);
    copies.add(own);
    members[name] = own;
    blank(own, further, copies);
  }
}

const copyOf = (value: object): object => (Array.isArray(value) ? [...value] : { ...value });

/** The value where all of it is sound, else undefined. */
export function toCompleteInput<Value>(value: ValidInput<Value> | undefined): Value | undefined {
  // ValidInput differs from the value itself only in what is undefined.
  return isWhole(value) ? (value as Value) : undefined;
}

const isWhole = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isWhole) : value !== undefined;
