import { type Static, Type } from 'typebox';
import { Name, Nullable, PhoneNumber, Timestamp } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pagination.ts';
import { PictureUri } from '../brands/brands.schemas.ts';
import { partnerRoles, teamRoles } from '../roles/roles.ts';
import { NewUser, User } from '../teams/teams.schemas.ts';

const TeamRole = () => Type.Enum([...teamRoles]);
const PartnerRole = () => Type.Enum([...partnerRoles]);

const presence = {
  state: Type.Enum(['invited', 'active'], { description: '`invited`: the person cannot sign in yet.' }),
  last_seen_at: Nullable(Timestamp({ description: 'Exact to a minute.' })),
  has_picture: Type.Boolean({ description: 'Whether visitors of a website see a picture of the person.' }),
};

export const Member = Type.Object({ ...User.properties, role: TeamRole(), ...presence }, { title: 'Member' });
export const StaffMember = Type.Object(
  { ...User.properties, role: PartnerRole(), ...presence },
  { title: 'StaffMember' },
);

export const MemberInvitation = Type.Object(
  {
    invitation_url: Type.String({ description: 'Give it to the person. It works once, for 7 days.' }),
    expires_at: Timestamp({ description: 'The end of the link.' }),
    mailed: Type.Boolean({
      description:
        'The person also gets the link by e-mail. False without a mail server, and after 20 mails in an hour for the team or the address: then hand the link over.',
    }),
  },
  { title: 'MemberInvitation' },
);
export const CreatedMember = Type.Object(
  { ...Member.properties, ...MemberInvitation.properties },
  { title: 'CreatedMember' },
);
export const CreatedStaffMember = Type.Object(
  { ...StaffMember.properties, ...MemberInvitation.properties },
  { title: 'CreatedStaffMember' },
);

const closed = { additionalProperties: false };

export const CreateMember = Type.Object({ ...NewUser.properties, role: TeamRole() }, closed);
export const CreateStaffMember = Type.Object({ ...NewUser.properties, role: PartnerRole() }, closed);
export type CreateMember = Static<typeof CreateMember> | Static<typeof CreateStaffMember>;

export const maxPictureBytes = 64 * 1024;

const profile = {
  name: Name(),
  phone: Type.Union([PhoneNumber(), Type.Null()]),
  picture: Nullable(
    PictureUri(
      maxPictureBytes,
      'A picture of at most 64 KiB for visitors of a website. Null removes it. No operation returns it.',
    ),
  ),
};
export const UpdateMember = Type.Partial(Type.Object({ ...profile, role: TeamRole() }), closed);
export const UpdateStaffMember = Type.Partial(Type.Object({ ...profile, role: PartnerRole() }), closed);
export type UpdateMember = Static<typeof UpdateMember> | Static<typeof UpdateStaffMember>;

export const ListMembers = Type.Object(pageQuery, closed);
