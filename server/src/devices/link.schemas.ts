import { type Static, Type } from 'typebox';
import { PhoneNumber, Timestamp } from '../platform/http/fields.ts';
import { credentialMembers } from './credentials.schemas.ts';

export const CreateDeviceLink = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({ minimum: 600, maximum: 259_200, default: 600, description: 'In seconds.' }),
    ),
    email: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 254,
        description:
          'Mails the address to this person, in the language of the team. If the mail cannot be sent, the earlier address stays valid.',
      }),
    ),
  },
  { title: 'CreateDeviceLink', additionalProperties: false, 'x-optional': true },
);

export type CreateDeviceLink = Static<typeof CreateDeviceLink>;

export const DeviceLink = Type.Object(
  {
    url: Type.String({ description: 'Give it to the person who has the phone. It needs no login.' }),
    expires_at: Timestamp(),
  },
  { title: 'DeviceLink' },
);

const token = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-pattern-means': 'must be the part of the address after #',
});

export const ConnectLink = Type.Object(
  {
    token,
    pairing_phone_number: Type.Optional(
      PhoneNumber({
        description: 'Links this phone with a code that its owner enters on it, if `pairing` is true.',
      }),
    ),
  },
  { title: 'ConnectLink', additionalProperties: false },
);

export const LinkToken = Type.Object({ token }, { title: 'LinkToken', additionalProperties: false });

export const LinkCredentials = Type.Object(
  { token, ...credentialMembers },
  { title: 'LinkCredentials', additionalProperties: false },
);

export const LinkStatus = Type.Object(
  {
    state: Type.Enum(['stopped', 'credentials', 'connecting', 'scan', 'pair', 'linked', 'refused'], {
      description:
        '`stopped`: no code is shown until `connectLink`. `credentials`: `putLinkCredentials` takes the members in `credentials`. `scan`: show `qr_code`. `pair`: show `pairing_code`. `refused`: the device is blocked or its team is suspended.',
    }),
    device_name: Type.String(),
    pairing: Type.Boolean({
      description: 'Whether the network links a phone with a code, too, if `connectLink` names its number.',
    }),
    timed_out: Type.Boolean({
      description:
        'Whether the state is `stopped` because no phone used the code in time. `connectLink` begins again.',
    }),
    message: Type.String(),
    qr_code: Type.Optional(
      Type.String({ description: 'PNG as a base64 data URI. Present in the state `scan`.' }),
    ),
    pairing_code: Type.Optional(
      Type.String({ description: 'The code to enter on the phone. Present in the state `pair`.' }),
    ),
    credentials: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What the network needs. Absent on networks that link a phone.',
      }),
    ),
    credentials_problem: Type.Optional(
      Type.Enum(['credentials_invalid', 'account_in_use'], {
        description:
          'Why the last credentials did not connect: the network refuses them, or another connected device has the account. Only in the state `credentials`.',
      }),
    ),
    webhook_url: Type.Optional(
      Type.String({ description: 'To enter at the network. Only in the response of `putLinkCredentials`.' }),
    ),
    verify_token: Type.Optional(
      Type.String({
        description: 'To enter beside the address. Only in the response of `putLinkCredentials`.',
      }),
    ),
    expires_at: Timestamp(),
  },
  { title: 'LinkStatus' },
);
export type LinkStatus = Static<typeof LinkStatus>;
