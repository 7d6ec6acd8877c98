import { type Static, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';

const teamId = Type.Optional(Id({ description: 'Needed with a key of scope `global`.' }));
const ofTeam = Type.Optional(Id({ description: 'Only this team. Default: all teams that the key may see.' }));
const state = Type.Enum(['in', 'out', 'unknown'], {
  description:
    '`out`: the contact gets no active messages. `in`: the contact agreed to them. `unknown`: nobody decided.',
});
const proof = Type.String({
  maxLength: 1000,
  description:
    'How the decision can be shown, for example the place of a form. For words of the contact, the message.',
});

export const ConsentQuery = Type.Object(
  { team_id: ofTeam },
  { title: 'ConsentQuery', additionalProperties: false },
);
export type ConsentQuery = Static<typeof ConsentQuery>;

export const PutConsent = Type.Object(
  {
    team_id: teamId,
    kind: Type.Optional(Type.Enum(['active_messages'], { description: 'Default: `active_messages`.' })),
    state,
    source: Type.Optional(
      Type.Enum(['api', 'console'], { description: 'Where the decision was entered. Default: `api`.' }),
    ),
    proof: Type.Optional(Nullable(proof)),
  },
  { title: 'PutConsent', additionalProperties: false },
);
export type PutConsent = Static<typeof PutConsent>;

export const Consent = Type.Object(
  {
    team_id: Id(),
    kind: Type.Enum(['active_messages']),
    state,
    source: Nullable(
      Type.Enum(['contact', 'api', 'console', 'import'], { description: 'Who decided. Null: nobody.' }),
    ),
    decided_at: Nullable(Timestamp()),
    proof: Nullable(proof),
  },
  { title: 'Consent' },
);
export type Consent = Static<typeof Consent>;

export const maxImportedRows = 10_000;

export const ImportConsents = Type.Object(
  {
    team_id: teamId,
    csv: Type.String({
      maxLength: 900_000,
      description: `Rows separated by commas or semicolons, at most ${maxImportedRows}, with a header that has \`number\` and \`state\`, and may have \`decided_at\` and \`proof\`.`,
    }),
  },
  { title: 'ImportConsents', additionalProperties: false },
);
export type ImportConsents = Static<typeof ImportConsents>;

export const ImportedConsents = Type.Object(
  {
    imported: Type.Integer(),
    refused: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'The line of the row; the header is line 1.' }),
        message: Type.String(),
      }),
      { description: 'Rows that changed nothing.' },
    ),
  },
  { title: 'ImportedConsents' },
);
export type ImportedConsents = Static<typeof ImportedConsents>;
