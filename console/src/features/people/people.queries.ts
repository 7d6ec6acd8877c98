import type { Member, Page, PageMeta, StaffMember } from '@parley/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Role } from '../../api/session.ts';
import type { Operation } from '../../app/may-call.ts';

export type Person = Member | StaffMember;

/** The people of a team, or the partner's staff. */
export type PeopleOf = string | null;

/** How a person comes to sign in. It is shown once. */
export interface Invitation {
  invitation_url: string;
  expires_at: string;
  mailed: boolean;
}

/** Each role has the rights of those before it. */
export const rolesOf = (team: PeopleOf): readonly Role[] =>
  team === null ? ['support', 'admin', 'owner'] : ['viewer', 'agent', 'editor', 'owner'];

export const operationsOf = (team: PeopleOf): { add: Operation; change: Operation; remove: Operation } =>
  team === null
    ? { add: 'createUser', change: 'updateUser', remove: 'deleteUser' }
    : { add: 'createTeamMember', change: 'updateTeamMember', remove: 'deleteTeamMember' };

export const peopleQuery = (team: PeopleOf, page: number) =>
  queryOptions({
    queryKey: ['people', team, page],
    queryFn: ({ signal }): Promise<Page<Person, PageMeta>> =>
      team === null
        ? api.listUsers({ page }, { signal })
        : api.listTeamMembers({ id: team, page }, { signal }),
    placeholderData: keepPreviousData,
  });

export interface NewPerson {
  name: string;
  email: string;
  role: Role;
}

// The choices of a role are those of `rolesOf`.
export const addPerson = (
  team: PeopleOf,
  { role, ...person }: NewPerson,
): Promise<Invitation & { name: string }> =>
  team === null
    ? api.createUser({ ...person, role: role as StaffMember['role'] })
    : api.createTeamMember({ ...person, id: team, role: role as Member['role'] });

export const changeRole = (team: PeopleOf, person: string, role: Role): Promise<Person> =>
  team === null
    ? api.updateUser({ id: person, role: role as StaffMember['role'] })
    : api.updateTeamMember({ id: team, userId: person, role: role as Member['role'] });

/** Null removes the picture. */
export const changePicture = (team: PeopleOf, person: string, picture: string | null): Promise<Person> =>
  team === null
    ? api.updateUser({ id: person, picture })
    : api.updateTeamMember({ id: team, userId: person, picture });

export const removePerson = (team: PeopleOf, person: string): Promise<unknown> =>
  team === null ? api.deleteUser({ id: person }) : api.deleteTeamMember({ id: team, userId: person });

/** Ends the earlier link of the person. */
export const invitePerson = (team: PeopleOf, person: string): Promise<Invitation> =>
  team === null ? api.inviteUser({ id: person }) : api.inviteTeamMember({ id: team, userId: person });
