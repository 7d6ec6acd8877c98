import { type Static, Type } from 'typebox';
import { ActionResult } from './ask.schemas.ts';

export const TryAction = Type.Object(
  {
    arguments: Type.Optional(
      // The validator names the member of `additionalProperties` that is invalid. A record has `patternProperties`.
      Type.Unsafe<Record<string, string | number | boolean>>({
        type: 'object',
        additionalProperties: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
        description: 'The values that the AI would fill in.',
      }),
    ),
  },
  { additionalProperties: false, title: 'TryAction' },
);
export type TryAction = Static<typeof TryAction>;

export const TriedAction = Type.Object(
  {
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null without a response.' }),
    error: Type.Union([Type.String(), Type.Null()]),
    result: ActionResult(),
    ms: Type.Integer(),
  },
  { title: 'TriedAction' },
);
export type TriedAction = Static<typeof TriedAction>;
