import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { isUuid } from '../../shared/ids.ts';
import { findSimilar } from '../../shared/similar-text.ts';
import { isDateTime } from './date-time.ts';
import { describeError, describeTypes } from './issue-message.ts';

export interface ValidationIssue {
  path: readonly string[];
  keyword: string;
  message: string;
  /** The value at `path`, or the enclosing object if a member is missing or unknown. */
  value: unknown;
}

/** The keywords that this file evaluates itself. TypeBox does not type them on TSchema. */
interface Shape {
  properties?: Record<string, TSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | TSchema;
  items?: TSchema;
}

/** If a list or an object violates these, its contents are not validated: they can be arbitrarily large. */
const limitKeywords: ReadonlySet<string> = new Set(['maxItems', 'maxProperties']);

export const exceedsLimit = ({ keyword }: ValidationIssue): boolean => limitKeywords.has(keyword);

export function createAjv(options: Options): Ajv {
  const ajv = new Ajv({ coerceTypes: false, removeAdditional: false, strict: false, ...options });
  ajvFormats.default(ajv, ['email', 'uri']);
  ajv.addFormat('date-time', isDateTime);
  // The package's own format accepts `urn:uuid:`, which PostgreSQL rejects.
  ajv.addFormat('uuid', isUuid);
  return ajv;
}

/** Yields missing members, then known ones by name, then unknown ones. */
export function createIssueFinder(): (schema: TSchema, value: unknown) => Generator<ValidationIssue> {
  const ajv = createAjv({ allErrors: true, verbose: true });
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  /** Ajv never frees a compiled schema, so equal ones share one. */
  const compiledByText = new Map<string, ValidateFunction>();
  const getShallowValidator = (schema: TSchema): ValidateFunction => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const { properties: _, required: __, additionalProperties: ___, items: ____, ...own } = schema as Shape;
    const text = JSON.stringify(own);
    const validate = compiledByText.get(text) ?? ajv.compile(own);
    compiledByText.set(text, validate);
    compiled.set(schema, validate);
    return validate;
  };

  function* findIssues(schema: TSchema, value: unknown, path: readonly string[]): Generator<ValidationIssue> {
    const errors = collectErrors(getShallowValidator(schema), value);
    for (const { keyword, message } of errors) yield { path, keyword, message, value };
    if (errors.some(({ keyword }) => keyword === 'type' || limitKeywords.has(keyword))) return;
    if (Array.isArray(value)) yield* findItemIssues(schema, value, path);
    else if (typeof value === 'object' && value !== null) yield* findMemberIssues(schema, value, path);
  }

  function* findItemIssues(
    { items }: Shape,
    list: readonly unknown[],
    path: readonly string[],
  ): Generator<ValidationIssue> {
    if (items === undefined) return;
    for (const [index, item] of list.entries()) yield* findIssues(items, item, [...path, String(index)]);
  }

  function* findMemberIssues(
    schema: Shape,
    value: object,
    path: readonly string[],
  ): Generator<ValidationIssue> {
    const { properties = {}, required = [], additionalProperties: additional = true } = schema;
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue;
      yield { path: [...path, name], keyword: 'required', message: 'is required', value };
    }
    const members = value as Readonly<Record<string, unknown>>;
    for (const [name, member] of Object.entries(properties).sort(byName)) {
      if (Object.hasOwn(value, name)) yield* findIssues(member, members[name], [...path, name]);
    }
    for (const name of additional === true ? [] : Object.keys(value)) {
      if (Object.hasOwn(properties, name)) continue;
      if (additional !== false) yield* findIssues(additional as TSchema, members[name], [...path, name]);
      else yield createUnknownFieldIssue(value, path, name, Object.keys(properties));
    }
  }

  return (schema, value) => findIssues(schema, value, []);
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

function createUnknownFieldIssue(
  value: object,
  path: readonly string[],
  name: string,
  known: readonly string[],
): ValidationIssue {
  const keyword = 'additionalProperties';
  if (name === '') return { path, keyword, message: 'must not have a field with an empty name', value };
  const similar = findSimilar(name, known);
  const hint = similar === null ? '' : ` (did you mean ${similar}?)`;
  return { path: [...path, name], keyword, message: `is not a known field${hint}`, value };
}

interface SchemaError {
  keyword: string;
  message: string;
}

function collectErrors(validate: ValidateFunction, value: unknown): SchemaError[] {
  const errors = validate(value) ? [] : (validate.errors ?? []);
  // Ajv keeps the errors until the next call, and with them the request body.
  validate.errors = null;
  if (errors.some(({ keyword }) => keyword === 'anyOf')) return describeUnion(errors);
  const isChoice = errors.some(({ keyword }) => keyword === 'enum');
  const reported = isChoice ? errors.filter(({ keyword }) => keyword !== 'type') : errors;
  return reported.map((error) => ({ keyword: error.keyword, message: describeError(error) }));
}

/** Returns the problems of the alternative with the value's type, or one problem if the value has none of the types. */
function describeUnion(errors: readonly ErrorObject[]): SchemaError[] {
  const types = errors.filter(({ keyword }) => keyword === 'type');
  const others = errors.filter(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf');
  return others.length > 0
    ? others.map((error) => ({ keyword: error.keyword, message: describeError(error) }))
    : [{ keyword: 'type', message: describeTypes(types.map(({ params }) => params['type'])) }];
}
