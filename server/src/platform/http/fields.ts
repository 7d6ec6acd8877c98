import { type TSchema, Type } from 'typebox';

export const Id = (options: { description?: string } = {}) => Type.String({ format: 'uuid', ...options });

export const Timestamp = (options: { description?: string; 'x-extension'?: true } = {}) =>
  Type.String({ format: 'date-time', ...options });

export const Name = (maxLength = 100) =>
  Type.String({
    minLength: 1,
    maxLength,
    // Accepts the empty string: `minLength` already reports it.
    pattern: '^(?:(?=[\\s\\S]*\\S)[^\\u0000-\\u001f\\u007f]*)?$',
    'x-pattern-means': 'must not be blank or contain control characters',
    examples: ['Harbour Rentals'],
  });

/** Excludes characters that PostgreSQL cannot store in text and JSON columns. */
export const Text = (maxLength: number, options: { minLength?: number; description?: string } = {}) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000\\ud800-\\udfff]*$',
    'x-pattern-means': 'must not contain U+0000 or half a surrogate pair',
    ...options,
  });

export const PhoneNumber = (options: { description?: string } = {}) =>
  Type.String({
    pattern: '^\\+?[1-9][0-9]{6,14}$',
    'x-pattern-means':
      'must be a phone number in international format: 7 to 15 digits without blanks or punctuation, like +15550123',
    ...options,
  });

/** Returns the stored form, with `+`. An unescaped `+` in a query string arrives as a space. */
export const toInternationalNumber = (number: string): string => number.replace(/^[+ ]?(?=\d)/, '+');

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const timestamp = (time: Date): string => time.toISOString();

export const timestampOrNull = (time: Date | null): string | null =>
  time === null ? null : time.toISOString();
