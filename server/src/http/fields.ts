import { type TSchema, Type } from 'typebox';

/** Field types that several resources share. Lengths are counted in code points, as JSON Schema does. */

export const Id = (options: { description?: string } = {}) => Type.String({ format: 'uuid', ...options });

export const Timestamp = (options: { description?: string } = {}) =>
  Type.String({ format: 'date-time', ...options });

/** A name that people read: 1 to `maxLength` code points, not only blanks, no control characters. */
export const Name = (maxLength = 100) =>
  Type.String({
    minLength: 1,
    maxLength,
    // The empty text passes, so that it is told once, as too short.
    pattern: '^(?:(?=[\\s\\S]*\\S)[^\\u0000-\\u001f\\u007f]*)?$',
    'x-pattern-means': 'must not be blank nor hold control characters',
    examples: ['Harbour Rentals'],
  });

/** Up to `maxLength` code points, without what neither text nor JSON columns can hold. */
export const Text = (maxLength: number, options: { minLength?: number; description?: string } = {}) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000\\ud800-\\udfff]*$',
    'x-pattern-means': 'must not hold U+0000 nor half a surrogate pair',
    ...options,
  });

/** In international format, its `+` optional. */
export const PhoneNumber = (options: { description?: string } = {}) =>
  Type.String({
    pattern: '^\\+?[1-9][0-9]{6,14}$',
    'x-pattern-means': 'must be a phone number in international format: 7 to 15 digits',
    ...options,
  });

/** With its `+`, as numbers are kept: it may be missing, or a blank, which it becomes in a query that does not escape it. */
export const toInternationalNumber = (number: string): string => number.replace(/^[+ ]?(?=\d)/, '+');

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** UTC with milliseconds and `Z`. */
export const timestamp = (time: Date): string => time.toISOString();

export const timestampOrNull = (time: Date | null): string | null =>
  time === null ? null : time.toISOString();
