import { type Static, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pagination.ts';

const Values = Nullable(Type.Object({}, { additionalProperties: true }));

export const AuditEntry = Type.Object(
  {
    id: Id(),
    at: Timestamp(),
    key_id: Nullable(Type.String({ description: 'The API key of the request. Null for a person.' })),
    user_id: Nullable(Id({ description: 'The user who was signed in. Null for an API key.' })),
    user_name: Nullable(Type.String()),
    request_id: Nullable(Type.String({ description: 'The `X-Request-Id` of the response.' })),
    address: Nullable(Type.String({ description: 'The address of the caller.' })),
    operation: Type.String({ description: 'The `operationId` in this document.', examples: ['updateTeam'] }),
    object_type: Type.String({ examples: ['team'] }),
    object_id: Nullable(Type.String()),
    team_id: Nullable(Id()),
    before: Values,
    after: Values,
  },
  {
    title: 'AuditEntry',
    description:
      'One changed object. `before` and `after` hold the fields that differ. Secrets are masked, texts and numbers of contacts are keyed hashes, and long values are replaced by their SHA-256.',
  },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const ListAuditLog = Type.Object(
  {
    ...pageQuery,
    team_id: Type.Optional(Id()),
    key_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    user_id: Type.Optional(Id()),
    object_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    operation: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    since: Type.Optional(Timestamp({ description: 'Entries from this time on.' })),
    until: Type.Optional(Timestamp({ description: 'Entries before this time.' })),
  },
  { additionalProperties: false },
);
export type ListAuditLog = Static<typeof ListAuditLog>;
