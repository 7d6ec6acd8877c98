import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { badRequest } from './errors.ts';
import { Nullable, Timestamp } from './fields.ts';

const description =
  'The `updated_at` of the object that the changes are based on. If the object changed since, nothing is changed, and the error `changed_meanwhile` shows both values.';

/** The member of an update by which two people do not overwrite each other's changes. */
export const expectedUpdate = {
  expected_updated_at: Type.Optional(Timestamp({ 'x-extension': true, description })),
};

/** For objects that a first update creates. */
export const expectedFirstUpdate = {
  expected_updated_at: Type.Optional(
    Nullable(Timestamp({ description: `${description} Null: the object does not exist yet.` })),
  ),
};

interface ExpectedUpdate {
  expected_updated_at?: string | null;
}

interface Updated {
  updated_at: string | null;
}

/**
 * Throws `changed_meanwhile` if `current` changed after the time that the update expects. `current` is the object as the API presents it.
 * The caller holds the lock of its row. Members of `merged` are objects that an update changes in part.
 */
export function requireUnchanged<Input extends ExpectedUpdate, Current extends Updated>(
  { expected_updated_at: expected, ...input }: Input,
  current: Current,
  merged: readonly string[] = [],
): void {
  if (expected === undefined || toTime(expected) === toTime(current.updated_at)) return;
  const pairs = (path: string, yours: object, theirs: object): Difference[] => {
    const known = new Map<string, unknown>(Object.entries(theirs));
    return Object.entries(yours).flatMap(([name, value]) => {
      const other = known.get(name) ?? null;
      if (path === '' && merged.includes(name) && isObject(value) && isObject(other))
        return pairs(`${name}.`, value, other);
      return [{ path: `${path}${name}`, yours: value ?? null, current: other }];
    });
  };
  throw badRequest(
    'changed_meanwhile',
    'The object changed meanwhile; read it again, or send the update with its present updated_at',
    {
      updated_at: current.updated_at,
      differences: pairs('', input, current).filter((pair) => !isDeepStrictEqual(pair.yours, pair.current)),
    },
  );
}

interface Difference {
  path: string;
  yours: unknown;
  current: unknown;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const toTime = (time: string | null): number | null => (time === null ? null : Date.parse(time));
