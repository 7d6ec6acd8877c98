import type { ValidationIssue } from './schema-issues.ts';

/** Input whose invalid or missing members are undefined, so that rules can run beside the schema. */
export type ValidInput<Value> = Value extends readonly (infer Item)[]
  ? readonly (ValidInput<Item> | undefined)[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: ValidInput<Value[Name]> | undefined }
    : Value;

const containerKeywords = new Set(['additionalProperties', 'minItems', 'minProperties']);

export function keepValidInput(value: unknown, issues: readonly ValidationIssue[]): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const memberIssues = issues.filter(({ keyword }) => !containerKeywords.has(keyword));
  if (memberIssues.length === 0) return value;
  const valid = { ...value };
  const copies = new Set<object>([valid]);
  for (const { path } of memberIssues) clear(valid, path, copies);
  return valid;
}

/** Copies only the objects on the path, because the value can be as large as a body. */
function clear(parent: object, path: readonly string[], copies: Set<object>): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  // Arrays are objects with their indices as names.
  const members = parent as Record<string, unknown>;
  const member = members[name];
  if (rest.length === 0) members[name] = undefined;
  else if (Object.hasOwn(members, name) && typeof member === 'object' && member !== null) {
    const copy = copies.has(member) ? member : copyContainer(member);
    copies.add(copy);
    members[name] = copy;
    clear(copy, rest, copies);
  }
}

const copyContainer = (value: object): object => (Array.isArray(value) ? [...value] : { ...value });

export function toCompleteInput<Value>(value: ValidInput<Value> | undefined): Value | undefined {
  // ValidInput differs from the value only in its undefined members.
  return isComplete(value) ? (value as Value) : undefined;
}

const isComplete = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isComplete) : value !== undefined;
