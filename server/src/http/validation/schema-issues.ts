import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';

/** What a schema finds wrong with one value. */
export interface Fault {
  /** Names of the members and indices of the items that lead to it. */
  at: readonly string[];
  /** Of the schema, which the value breaks. */
  keyword: string;
  message: string;
  /** Where `at` leads; of a member that is missing or unknown, what it is missing or unknown in. */
  value: unknown;
}

/** As far as it matters to how faults are found; TypeBox types none of it for a schema of any kind. */
interface Shape {
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | TSchema;
  items?: TSchema;
}

/** A list or an object beyond these is not looked into: there is no end to what could be wrong inside. */
const limits: ReadonlySet<string> = new Set(['maxItems', 'maxProperties']);

export const isBeyondLimit = ({ keyword }: Fault): boolean => limits.has(keyword);

/**
 * Tells what is wrong with a value, fault by fault: whoever has enough of them leaves the rest unfound. Of an object what
 * is missing comes first, then what is known of it, by name, then what is not known there. `ajv` collects all errors,
 * verbosely.
 */
export function createIssueFinder(ajv: Ajv): (schema: TSchema, value: unknown) => Generator<Fault> {
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  /** Of the value itself; what it consists of is judged piece by piece. */
  const judgeOf = (schema: TSchema): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const { properties: _, required: __, additionalProperties: ___, items: ____, ...own } = schema as Shape;
    const judge = ajv.compile(own);
    compiled.set(schema, judge);
    return judge;
  };

  function* faultsOf(schema: TSchema, value: unknown, at: readonly string[]): Generator<Fault> {
    const errors = errorsOf(judgeOf(schema), value);
    for (const error of errors) {
      yield { at, keyword: error.keyword, message: messageOf(error), value };
    }
    if (errors.some(({ keyword }) => keyword === 'type' || limits.has(keyword))) return;
    if (Array.isArray(value)) yield* faultsOfItems(schema, value, at);
    else if (typeof value === 'object' && value !== null) yield* faultsOfMembers(schema, value, at);
  }

  function* faultsOfItems(
    { items }: Shape,
    list: readonly unknown[],
    at: readonly string[],
  ): Generator<Fault> {
    if (items === undefined) return;
    for (const [index, item] of list.entries()) yield* faultsOf(items, item, [...at, String(index)]);
  }

  function* faultsOfMembers(schema: Shape, value: object, at: readonly string[]): Generator<Fault> {
    const { properties = {}, required = [], additionalProperties: others = true } = schema;
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue;
      yield { at: [...at, name], keyword: 'required', message: 'is required', value };
    }
    // What is no list is an object of JSON or of a query, which holds anything.
    const members = value as Readonly<Record<string, unknown>>;
    for (const [name, member] of Object.entries(properties).sort(byName)) {
      if (Object.hasOwn(value, name)) yield* faultsOf(member, members[name], [...at, name]);
    }
    for (const name of others === true ? [] : Object.keys(value)) {
      if (Object.hasOwn(properties, name)) continue;
      if (others !== false) yield* faultsOf(others as TSchema, members[name], [...at, name]);
      else yield unknownMember(value, at, name);
    }
  }

  return (schema, value) => faultsOf(schema, value, []);
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

const unknownMember = (value: object, at: readonly string[], name: string): Fault =>
  name === ''
    ? { at, keyword: 'additionalProperties', message: 'holds an empty name', value }
    : { at: [...at, name], keyword: 'additionalProperties', message: 'is not known here', value };

/** What is of another type is none of the values of an enumeration either, which is not told besides. */
function errorsOf(judge: ValidateFunction, value: unknown): ErrorObject[] {
  const errors = judge(value) ? [] : (judge.errors ?? []);
  // They hold what they are about, which can be as large as a body, until it judges again.
  judge.errors = null;
  const isOfAnotherType = errors.some(({ keyword }) => keyword === 'type');
  return isOfAnotherType ? errors.filter(({ keyword }) => keyword !== 'enum') : errors;
}

function messageOf(error: ErrorObject): string {
  // What a pattern means, in words, stands beside it in the schema.
  const meaning: unknown = error.keyword === 'pattern' ? error.parentSchema?.['x-pattern-means'] : undefined;
  if (typeof meaning === 'string') return meaning;
  return error.message ?? 'is not valid';
}
