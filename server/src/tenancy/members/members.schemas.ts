import { type Static, Type } from 'typebox';
import { Name, PhoneNumber } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pagination.ts';
import { partnerRoles, teamRoles } from '../roles/roles.ts';
import { NewUser, User } from '../teams/teams.schemas.ts';

const TeamRole = () => Type.Enum([...teamRoles]);
const PartnerRole = () => Type.Enum([...partnerRoles]);

export const Member = Type.Object({ ...User.properties, role: TeamRole() }, { title: 'Member' });
export const StaffMember = Type.Object({ ...User.properties, role: PartnerRole() }, { title: 'StaffMember' });

const closed = { additionalProperties: false };

export const CreateMember = Type.Object({ ...NewUser.properties, role: TeamRole() }, closed);
export const CreateStaffMember = Type.Object({ ...NewUser.properties, role: PartnerRole() }, closed);
export type CreateMember = Static<typeof CreateMember> | Static<typeof CreateStaffMember>;

const profile = { name: Name(), phone: Type.Union([PhoneNumber(), Type.Null()]) };
export const UpdateMember = Type.Partial(Type.Object({ ...profile, role: TeamRole() }), closed);
export const UpdateStaffMember = Type.Partial(Type.Object({ ...profile, role: PartnerRole() }), closed);
export type UpdateMember = Static<typeof UpdateMember> | Static<typeof UpdateStaffMember>;

export const ListMembers = Type.Object(pageQuery, closed);
