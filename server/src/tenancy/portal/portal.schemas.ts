import { type Static, Type } from 'typebox';
import { Id, Timestamp } from '../../platform/http/fields.ts';
import { portalPages } from '../roles/portal-pages.ts';

const closed = { additionalProperties: false };

/** An owner's rights stay with people who sign in. */
const portalRoles = ['viewer', 'agent', 'editor'] as const;
export type PortalRole = (typeof portalRoles)[number];

const Pages = (options: { description?: string } = {}) =>
  Type.Array(Type.Enum(portalPages), {
    minItems: 1,
    maxItems: portalPages.length,
    uniqueItems: true,
    ...options,
  });

export const CreatePortalLink = Type.Object(
  {
    team_id: Id({ description: 'The team that the console shows.' }),
    role: Type.Enum(portalRoles, { description: 'At most the role of the caller.' }),
    pages: Type.Optional(Pages({ description: 'Absent: all.' })),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 3600,
        default: 600,
        description: 'Until the address must be opened, in seconds.',
      }),
    ),
  },
  { title: 'CreatePortalLink', ...closed },
);
export type CreatePortalLink = Static<typeof CreatePortalLink>;

export const PortalLink = Type.Object(
  {
    url: Type.String({ description: 'Opens the console once, also in a frame of `PORTAL_FRAME_ORIGINS`.' }),
    expires_at: Timestamp(),
  },
  { title: 'PortalLink' },
);

export const PortalToken = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[A-Za-z0-9_-]+$',
      'x-pattern-means': 'must be the part of the address after #',
    }),
  },
  closed,
);

export const PortalSession = Type.Object(
  {
    access_token: Type.String({ description: 'A bearer token. It ends with the creator of the link, too.' }),
    expires_at: Timestamp({ description: 'An hour later.' }),
    id: Id({ description: 'The audit log names the session `portal:` and this id.' }),
    team: Type.Object({ id: Id(), name: Type.String() }),
    role: Type.Enum(portalRoles),
    pages: Pages(),
  },
  { title: 'PortalSession' },
);
export type PortalSession = Static<typeof PortalSession>;
