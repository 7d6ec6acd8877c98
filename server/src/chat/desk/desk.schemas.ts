import { type Static, Type } from 'typebox';
import { expectedFirstUpdate } from '../../platform/http/expected-update.ts';
import { Id, Name, Nullable, Text, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';
import { Labels } from '../contacts/contacts.schemas.ts';

export const AssignConversation = Type.Object(
  {
    user_id: Type.Optional(
      Nullable(
        Id({
          description:
            'A member of the team above `viewer`. The partner may name a person of its staff, too. Null: nobody.',
        }),
      ),
    ),
    in_turn: Type.Optional(
      Type.Literal(true, {
        description:
          'Instead of `user_id`: the member of the team with a request in the last 10 minutes who was given a conversation longest ago.',
      }),
    ),
  },
  { additionalProperties: false, title: 'AssignConversation' },
);
export type AssignConversation = Static<typeof AssignConversation>;

export const LabelConversation = Type.Object(
  { labels: Labels({ description: 'Replace the present ones.' }) },
  { additionalProperties: false, title: 'LabelConversation' },
);
export type LabelConversation = Static<typeof LabelConversation>;

const noteText = Text(4096, { minLength: 1 });

export const CreateNote = Type.Object(
  { text: noteText },
  { additionalProperties: false, title: 'CreateNote' },
);
export type CreateNote = Static<typeof CreateNote>;

export const Note = Type.Object(
  {
    id: Id(),
    conversation_id: Id(),
    author: Type.Object(
      {
        id: Type.String({ description: 'The id of the key, or `user:` and the id of the user.' }),
        name: Type.String(),
      },
      { title: 'Author' },
    ),
    text: Type.String(),
    created_at: Timestamp(),
  },
  { title: 'Note' },
);
export type Note = Static<typeof Note>;

export const ListNotes = Type.Object(cursorQuery, { additionalProperties: false });
export type ListNotes = Static<typeof ListNotes>;

export const SavedReplies = Type.Object(
  {
    replies: Type.Array(
      Type.Object(
        {
          name: Name(40),
          text: Type.String({
            minLength: 1,
            maxLength: 4096,
            pattern: '^(?:(?=[\\s\\S]*\\S)[^\\u0000\\ud800-\\udfff]*)?$',
            'x-pattern-means': 'must not be blank or contain U+0000',
          }),
        },
        { additionalProperties: false, title: 'SavedReply' },
      ),
      { maxItems: 200, description: 'The names differ.' },
    ),
  },
  { additionalProperties: false, title: 'SavedReplies' },
);
export type SavedReplies = Static<typeof SavedReplies>;

export const PutSavedReplies = Type.Object(
  { ...SavedReplies.properties, ...expectedFirstUpdate },
  { additionalProperties: false, title: 'PutSavedReplies' },
);
export type PutSavedReplies = Static<typeof PutSavedReplies>;

export const StoredReplies = Type.Object(
  {
    ...SavedReplies.properties,
    updated_at: Nullable(Timestamp({ description: 'Null: nobody has set them.' })),
  },
  { title: 'StoredReplies' },
);
export type StoredReplies = Static<typeof StoredReplies>;
