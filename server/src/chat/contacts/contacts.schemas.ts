import { type Static, Type } from 'typebox';
import { expectedFirstUpdate } from '../../platform/http/expected-update.ts';
import { Id, Name, Nullable, Text, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';

const teamId = Type.Optional(Id({ description: 'Needed with a key of scope `global`.' }));

const maxLabels = 20;

export const Label = () => Name(40);
export const Labels = (options: { description?: string } = {}) =>
  Type.Array(Label(), { maxItems: maxLabels, ...options });

/** How many fields a contact has at most. */
export const maxFields = 50;
export const maxFieldName = 60;

const Fields = Type.Record(Type.String(), Text(500), {
  description: `What the team keeps about the contact, such as \`{"birthday": "3 May"}\`: at most ${maxFields} fields with names of 1 to ${maxFieldName} characters.`,
});

const editable = {
  name: Nullable(Name()),
  fields: Fields,
  labels: Labels(),
  note: Text(4000),
  blocked: Type.Boolean({
    description: 'Messages of the contact are stored. The bot does not answer them.',
  }),
};

export const Contact = Type.Object(
  {
    team_id: Id(),
    contact_number: Type.String({
      description:
        'International format, or an id with the scheme of the network while the number is unknown: `lid:`, `bsuid:`, `tg:` or `web:`.',
    }),
    ...editable,
    name: Nullable(Type.String({ description: 'As the team calls the contact.' })),
    network_name: Nullable(
      Type.String({ description: 'As the contact calls itself in the network. Nobody checks it.' }),
    ),
    created_at: Nullable(Timestamp({ description: 'Null: the team knows nothing about the contact.' })),
    updated_at: Nullable(Timestamp()),
  },
  { title: 'Contact' },
);
export type Contact = Static<typeof Contact>;

export const FoundContact = Type.Object(
  {
    ...Contact.properties,
    team_id: Nullable(Id({ description: 'Null: no team knows the contact, and the request named none.' })),
  },
  { title: 'FoundContact' },
);
export type FoundContact = Static<typeof FoundContact>;

export const ListContacts = Type.Object(
  {
    ...cursorQuery,
    team_id: Type.Optional(Id()),
    label: Type.Optional(Label()),
    blocked: Type.Optional(Type.Boolean()),
    q: Type.Optional(
      Text(100, { minLength: 1, description: 'Parts of the names, or at least 3 digits of the number.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListContacts = Static<typeof ListContacts>;

export const ContactQuery = Type.Object(
  {
    team_id: Type.Optional(
      Id({ description: 'Default: the team of the key, or else the team that changed the contact last.' }),
    ),
  },
  { title: 'ContactQuery', additionalProperties: false },
);
export type ContactQuery = Static<typeof ContactQuery>;

export const UpdateContact = Type.Object(
  { team_id: teamId, ...Type.Partial(Type.Object(editable)).properties, ...expectedFirstUpdate },
  { title: 'UpdateContact', additionalProperties: false },
);
export type UpdateContact = Static<typeof UpdateContact>;
