import type { ErrorObject } from 'ajv';
import { dateTimeMeans } from './date-time.ts';

const typeNames: Readonly<Record<string, readonly string[]>> = {
  string: ['a string'],
  integer: ['an integer'],
  number: ['a number'],
  boolean: ['true', 'false'],
  object: ['an object'],
  array: ['a list'],
  null: ['null'],
};

const formatMeanings: Readonly<Record<string, string>> = {
  'date-time': dateTimeMeans,
  uuid: 'must be a UUID',
  email: 'must be an email address, like ana@example.com',
};

/** Says what the value must be. Continues a sentence that begins with the path of the value. */
export function describeError({ keyword, params, parentSchema, data, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return data === undefined ? 'is required' : describeTypes([params['type']].flat());
    case 'enum':
      return `must be one of ${[...params['allowedValues']].join(', ')}`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'minLength':
      return params['limit'] === 1
        ? 'must not be empty'
        : `must have ${count('at least', params, 'character')}`;
    case 'maxLength':
      return `must have ${count('at most', params, 'character')}`;
    case 'minItems':
      return `must have ${count('at least', params, 'item')}`;
    case 'maxItems':
      return `must have ${count('at most', params, 'item')}`;
    case 'maxProperties':
      return `must have ${count('at most', params, 'field')}`;
    case 'pattern':
      return parentSchema?.['x-pattern-means'] ?? message ?? invalid;
    case 'format':
      return formatMeanings[params['format']] ?? message ?? invalid;
    default:
      return message ?? invalid;
  }
}

const invalid = 'is not valid';

const count = (bound: string, { limit }: ErrorObject['params'], unit: string): string =>
  `${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`;

/** Joins the types of a union, like `must be an integer or null`. */
export function describeTypes(types: readonly string[]): string {
  const names = types.flatMap((type) => typeNames[type] ?? type);
  const last = names.at(-1) ?? invalid;
  return `must be ${names.length > 1 ? `${names.slice(0, -1).join(', ')} or ` : ''}${last}`;
}
