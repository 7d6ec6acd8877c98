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

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** UTC with milliseconds and `Z`. */
export const timestamp = (time: Date): string => time.toISOString();

export const timestampOrNull = (time: Date | null): string | null =>
  time === null ? null : time.toISOString();
