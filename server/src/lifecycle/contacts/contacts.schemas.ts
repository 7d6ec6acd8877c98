import { type Static, Type } from 'typebox';
import { MessageDetails } from '../../chat/messages/messages.schemas.ts';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';

export const ContactScope = Type.Object(
  {
    team_id: Type.Optional(
      Id({ description: 'Only in this team. Default: all teams that the key may see.' }),
    ),
  },
  { title: 'ContactScope', additionalProperties: false },
);
export type ContactScope = Static<typeof ContactScope>;

const Medium = Type.Object({
  kind: Type.String(),
  mime_type: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  content: Nullable(
    Type.String({
      description: 'In base64. Null over 1 MiB, and if the contents of newer media take 32 MiB.',
    }),
  ),
});

export const ContactExport = Type.Object(
  {
    contact_number: Type.String(),
    complete: Type.Boolean({
      description:
        'False if there are more than 10,000 messages or answers, or more than 32 MiB of media, of texts or of traces.',
    }),
    known: Type.Array(
      Type.Object({
        team_id: Id(),
        contact_number: Type.String(),
        name: Nullable(Type.String()),
        network_name: Nullable(Type.String()),
        fields: Type.Record(Type.String(), Type.String()),
        labels: Type.Array(Type.String()),
        note: Type.String(),
        blocked: Type.Boolean(),
      }),
      { description: 'What each team knows about the contact.' },
    ),
    notes: Type.Array(
      Type.Object({
        id: Id(),
        conversation_id: Id(),
        author_name: Type.String(),
        text: Type.String(),
        created_at: Timestamp(),
      }),
      { description: 'What the people of the team wrote to each other.' },
    ),
    tester_of: Type.Array(Id(), { description: 'The bots whose draft the contact gets.' }),
    consents: Type.Array(
      Type.Object({
        team_id: Id(),
        contact: Type.String({ description: 'The form of the contact.' }),
        kind: Type.String(),
        state: Type.String(),
        source: Type.String(),
        proof: Nullable(Type.String()),
        decided_at: Timestamp(),
      }),
    ),
    conversations: Type.Array(
      Type.Object({
        labels: Type.Array(Type.String()),
        id: Id(),
        team_id: Id(),
        device_id: Id(),
        state: Type.String(),
        flag: Nullable(Type.String()),
        last_message_at: Timestamp(),
        created_at: Timestamp(),
      }),
    ),
    messages: Type.Array(
      Type.Object({
        id: Id(),
        team_id: Id(),
        device_id: Id(),
        direction: Type.Enum(['in', 'out']),
        origin: Type.String(),
        kind: Type.String(),
        text: Type.String(),
        status: Type.String(),
        details: Type.Optional(MessageDetails),
        sent_at: Nullable(Timestamp()),
        created_at: Timestamp(),
        media: Type.Array(Medium),
      }),
    ),
    answers: Type.Array(
      Type.Object({
        id: Id(),
        bot_id: Id(),
        answered: Type.Boolean(),
        rating: Nullable(Type.Enum(['up', 'down'], { description: 'The thumb of a person of the team.' })),
        contact_rating: Nullable(Type.Enum(['up', 'down'], { description: 'The thumb of the contact.' })),
        trace: Type.Object({}, { additionalProperties: true }),
        created_at: Timestamp(),
      }),
    ),
  },
  { title: 'ContactExport' },
);
export type ContactExport = Static<typeof ContactExport>;

export const ErasedContact = Type.Object(
  {
    messages: Type.Integer(),
    conversations: Type.Integer(),
    answers: Type.Integer(),
    events: Type.Integer(),
  },
  { title: 'ErasedContact', description: 'How many rows were deleted.' },
);
export type ErasedContact = Static<typeof ErasedContact>;
