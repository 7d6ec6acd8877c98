import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { requireActor } from '../../platform/http/actor.ts';
import type { Routes } from '../../platform/http/fastify-app.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { Message, operation, success, successWithMeta } from '../../platform/http/operation.ts';
import { PageMeta, pageMeta } from '../../platform/http/pagination.ts';
import { pathParameter } from '../../platform/http/path-parameter.ts';
import {
  CreateMember,
  CreateStaffMember,
  ListMembers,
  Member,
  StaffMember,
  UpdateMember,
  UpdateStaffMember,
} from './members.schemas.ts';
import { createMember, deleteMember, listMembers, updateMember } from './members.ts';

interface Dependencies {
  db: Database;
  idempotency: Idempotency;
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
    schemas: { Member, Create: CreateMember, Update: UpdateMember },
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
    schemas: { Member: StaffMember, Create: CreateStaffMember, Update: UpdateStaffMember },
  },
] as const;

export const memberRoutes =
  ({ db, idempotency }: Dependencies): Routes =>
  (app) => {
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
          description: `The same e-mail address may belong to several people.${quota}`,
          body: schemas.Create,
          data: schemas.Member,
          idempotent: true,
        }),
        async (request, reply) =>
          idempotency.inTransaction({ request, reply }, async (tx) =>
            success(await createMember(tx, requireActor(request), teamOf(request), request.body)),
          ),
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
          description: 'The last owner keeps this role (400 `last_owner`).',
          body: schemas.Update,
          data: schemas.Member,
        }),
        async (request) =>
          success(
            await db
              .transaction()
              .execute((tx) => updateMember(tx, requireActor(request), named(request), request.body)),
          ),
      );

      app.delete(
        `${base}${member}`,
        operation({
          ...shared,
          id: `delete${noun}`,
          summary: `Remove ${person}`,
          description: 'The last owner cannot be removed (400 `last_owner`).',
          data: Message,
        }),
        async (request) => {
          await db.transaction().execute((tx) => deleteMember(tx, requireActor(request), named(request)));
          return success({ message: of === 'team' ? 'Member removed' : 'User removed' });
        },
      );
    }
  };
