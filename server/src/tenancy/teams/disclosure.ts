import { type Static, Type } from 'typebox';
import type { InputIssue } from '../../platform/http/errors.ts';
import type { ValidInput } from '../../platform/http/validation/valid-input.ts';

const longestText = 500;

/** How contacts learn that a machine answers. Stored as it is given. */
export const Disclosure = Type.Object(
  {
    mode: Type.Enum(['first_reply', 'every_conversation', 'off'], {
      description:
        '`first_reply`: the first answer to a contact says it, and again after `after_days` without a message to the contact. `every_conversation`: also after a day without one. `off`: never; needs a `reason`.',
    }),
    texts: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-z]{2,3}$' }),
        Type.String({
          minLength: 1,
          maxLength: longestText,
          pattern: '\\S',
          'x-pattern-means': 'must not be blank',
        }),
        {
          maxProperties: 50,
          additionalProperties: false,
          description:
            'The notice by language (`en`, `pt`), instead of the default. `{name}` becomes the name of the team.',
        },
      ),
    ),
    after_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, description: 'Default: 30.' })),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: longestText,
        description: 'Why no notice is needed. The audit log keeps it.',
      }),
    ),
  },
  { title: 'Disclosure', additionalProperties: false },
);
export type Disclosure = Static<typeof Disclosure>;

/** Checks that the notice is not switched off without a reason. */
export const disclosureIssues = (
  path: string,
  disclosure: ValidInput<Disclosure> | null | undefined,
): InputIssue[] =>
  disclosure?.mode === 'off' && !('reason' in disclosure && String(disclosure.reason ?? '').trim() !== '')
    ? [{ path: `${path}.reason`, message: 'is needed to switch the notice off' }]
    : [];
