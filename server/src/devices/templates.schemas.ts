import { type Static, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../platform/http/fields.ts';
import { cursorQuery } from '../platform/http/pagination.ts';

const states = ['pending', 'approved', 'rejected', 'paused', 'disabled'] as const;
const name = Type.String({
  pattern: '^[a-z0-9_]{1,100}$',
  maxLength: 100,
  'x-pattern-means': 'must be small letters, digits and _',
});
export const TemplateLanguage = Type.String({
  pattern: '^[a-z]{2,3}(_[A-Z]{2})?$',
  maxLength: 6,
  'x-pattern-means': 'must be a language like en or pt_BR',
});

export const DeviceTemplate = Type.Object(
  {
    id: Id(),
    team_id: Id(),
    device_id: Id(),
    name: Type.String(),
    language: Type.String(),
    category: Type.String({ description: 'As the network names it, like `utility` or `marketing`.' }),
    state: Type.Enum([...states], { description: 'Only an `approved` template can be sent.' }),
    reason: Nullable(Type.String({ description: 'Why the network rejected it.' })),
    body: Type.String(),
    variables: Nullable(
      Type.Integer({
        description: 'How many variables the body has. Null: Parley cannot fill all variables.',
      }),
    ),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'DeviceTemplate' },
);
export type DeviceTemplate = Static<typeof DeviceTemplate>;

export const CreateTemplate = Type.Object(
  {
    name,
    language: TemplateLanguage,
    category: Type.Enum(['utility', 'marketing']),
    body: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Variables are `{{1}}`, `{{2}}` and so on, not at the beginning or the end.',
    }),
    examples: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 20,
        description: 'A value for each variable, for the reviewers.',
      }),
    ),
    footer: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  },
  { title: 'CreateTemplate', additionalProperties: false },
);
export type CreateTemplate = Static<typeof CreateTemplate>;

export const ListTemplates = Type.Object(
  { ...cursorQuery, state: Type.Optional(Type.Enum([...states])) },
  { additionalProperties: false },
);
export type ListTemplates = Static<typeof ListTemplates>;
