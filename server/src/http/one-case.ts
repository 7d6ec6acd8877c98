import type { Ajv } from 'ajv';
import type { TSchema } from 'typebox';

const keyword = 'inSmallLetters';

/**
 * A UUID in capitals names what it names in small letters, and the database takes both; but ids are also told apart as
 * text. So every id of a request is in small letters, as ours are, once it is validated.
 */
export function installOneCase(ajv: Ajv): void {
  ajv.addKeyword({
    keyword,
    type: 'string',
    modifying: true,
    errors: false,
    validate: (
      _: true,
      text: string,
      __: unknown,
      at?: { parentData: object; parentDataProperty: unknown },
    ) => {
      if (at !== undefined) Reflect.set(at.parentData, String(at.parentDataProperty), text.toLowerCase());
      return true;
    },
  });
}

/** The schema, with that said of each of its ids. */
export const withIdsInOneCase = (schema: TSchema): TSchema =>
  JSON.parse(
    JSON.stringify(schema, (_, member: unknown) => (isId(member) ? { ...member, [keyword]: true } : member)),
  );

const isId = (member: unknown): member is object =>
  typeof member === 'object' && member !== null && 'format' in member && member.format === 'uuid';
