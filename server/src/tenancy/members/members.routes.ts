import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import type { Outbox } from '../people/mails.ts';
import {
  CreatedMember,
  CreatedStaffMember,
  CreateMember,
  CreateStaffMember,
  ListMembers,
  Member,
  MemberInvitation,
  StaffMember,
  UpdateMember,
  UpdateStaffMember,
} from './members.schemas.ts';
import {
  createMember,
  deleteMember,
  type Invited,
  inviteMember,
  listMembers,
  updateMember,
} from './members.ts';

interface Dependencies {
  db: Database;
  idempotency: Idempotency;
  notifications: Pick<Notifications, 'publish'>;
  /** Null: no mail server is configured. */
  outbox: Outbox | null;
  /** The public address of the deployment. Default: the address of the request. */
  baseUrl: string | null;
}

/** The members of a team and the partner's staff differ in their path, their roles and the keys that may see them. */
const kinds = [
  {
    base: '/api/openapi/v1/teams/:id/members',
    member: '/:userId',
    noun: 'TeamMember',
    person: 'a member of a team',
    people: 'the members of a team',
    quota: ' A member counts against the quota `members`.',
    list: 'The administrator that was created with the team is its first owner.',
    of: 'team',
    shared: { tag: 'Teams', access: 'anyKey', resource: 'team', extension: true },
    schemas: { Member, Created: CreatedMember, Create: CreateMember, Update: UpdateMember },
  },
  {
    base: '/api/openapi/v1/users',
    member: '/:id',
    noun: 'User',
    person: "a person of the partner's staff",
    people: "the partner's staff",
    quota: '',
    list: 'People of teams are listed with their team.',
    of: 'staff',
    shared: { tag: 'Staff', access: 'globalKey', resource: 'user', extension: true },
    schemas: {
      Member: StaffMember,
      Created: CreatedStaffMember,
      Create: CreateStaffMember,
      Update: UpdateStaffMember,
    },
  },
] as const;

export const memberRoutes =
  ({ db, idempotency, notifications, outbox, baseUrl }: Dependencies): Routes =>
  (app) => {
    const presentInvitation = (
      { protocol, host }: FastifyRequest,
      { token, expiresAt, mailed }: Invited,
    ) => ({
      // Browsers send no fragment, so the token stays out of logs.
      invitation_url: `${(baseUrl ?? `${protocol}://${host}`).replace(/\/$/, '')}/console/invitation#${token}`,
      expires_at: timestamp(expiresAt),
      mailed,
    });

    for (const { base, member, noun, person, people, quota, list, of, shared, schemas } of kinds) {
      const teamOf = (request: { params: unknown }) => (of === 'team' ? pathParameter(request) : null);
      const named = (request: { params: unknown }) => ({
        team: teamOf(request),
        id: pathParameter(request, of === 'team' ? 'userId' : 'id'),
      });

      app.post(
        base,
        operation({
          ...shared,
          id: `create${noun}`,
          summary: `Add ${person}`,
          description: `Give the person the link in \`invitation_url\`, which sets a password. With a mail server, the person also gets it by e-mail. The same e-mail address may belong to several people.${quota}`,
          body: schemas.Create,
          data: schemas.Created,
          idempotent: true,
        }),
        async (request, reply) =>
          idempotency.inTransaction({ request, reply }, async (tx) => {
            const { member, invitation } = await createMember(
              tx,
              outbox,
              requireActor(request),
              teamOf(request),
              request.body,
            );
            return success({ ...member, ...presentInvitation(request, invitation) });
          }),
      );

      app.post(
        `${base}${member}/invite`,
        operation({
          ...shared,
          id: `invite${noun}`,
          summary: `Renew the invitation of ${person}`,
          description:
            'The earlier link ends. A person who signs in already needs none (400 `already_active`).',
          data: MemberInvitation,
        }),
        async (request) => {
          const invitation = await db
            .transaction()
            .execute((tx) => inviteMember(tx, outbox, requireActor(request), named(request)));
          return success(presentInvitation(request, invitation));
        },
      );

      app.get(
        base,
        operation({
          ...shared,
          id: `list${noun}s`,
          summary: `List ${people}, newest first`,
          description: list,
          query: ListMembers,
          data: Type.Array<typeof schemas.Member>(schemas.Member),
          meta: PageMeta,
        }),
        async (request) => {
          const { members, total } = await listMembers(
            db,
            requireActor(request),
            teamOf(request),
            request.query,
          );
          return successWithMeta(members, pageMeta(request.query, total));
        },
      );

      app.patch(
        `${base}${member}`,
        operation({
          ...shared,
          id: `update${noun}`,
          summary: `Change the name, the phone number or the role of ${person}`,
          description:
            'The last owner keeps this role (400 `last_owner`). Another role ends the sessions of the person.',
          body: schemas.Update,
          data: schemas.Member,
        }),
        async (request) => {
          const changed = await db
            .transaction()
            .execute((tx) => updateMember(tx, requireActor(request), named(request), request.body));
          notifications.publish('person-changed', changed.id);
          return success(changed);
        },
      );

      app.delete(
        `${base}${member}`,
        operation({
          ...shared,
          id: `delete${noun}`,
          summary: `Remove ${person}`,
          description: 'The last owner cannot be removed (400 `last_owner`). The sessions of the person end.',
          data: Message,
        }),
        async (request) => {
          await db.transaction().execute((tx) => deleteMember(tx, requireActor(request), named(request)));
          notifications.publish('person-changed', named(request).id);
          return success({ message: of === 'team' ? 'Member removed' : 'User removed' });
        },
      );
    }
  };
