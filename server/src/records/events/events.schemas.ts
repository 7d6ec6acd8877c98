import { type Static, Type } from 'typebox';
import { Id } from '../../platform/http/fields.ts';

export const ListEvents = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'The `next_cursor` of an earlier response. Default: from the oldest event.',
      }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'Types of events, separated by commas. Default: all that are stored.',
        examples: ['message.received,message.failed'],
      }),
    ),
    team_id: Type.Optional(Id()),
  },
  { additionalProperties: false },
);
export type ListEvents = Static<typeof ListEvents>;

export const EventsMeta = Type.Object(
  {
    next_cursor: Type.String({ description: 'Pass it as `after` to get the events that follow.' }),
    has_more: Type.Boolean({ description: 'Whether more events can be read at once.' }),
  },
  { title: 'EventsMeta' },
);
