import { because, retryAfter } from './because.ts';

/** Why a person may not sign in, or a change of people or of a way to sign in is refused. */
export const peopleReasons = {
  last_owner: because(
    400,
    'The person is the only owner of the team or of the deployment.',
    'Give another person the role `owner` first.',
  ),
  already_active: because(
    400,
    'The person signs in already.',
    'Remove the person and add the person again, if the address is lost.',
  ),
  link_used: because(
    400,
    'The link is unknown, was used, has expired, or a newer one replaced it.',
    'Ask for a new link.',
  ),
  password_wrong: because(400, 'The present password is wrong.', 'Correct it.'),
  passkey_refused: because(
    400,
    'The passkey was made for another person, another host or too late, or it cannot check the person.',
    'Begin again.',
  ),
  passkey_host: because(400, 'The page has an address instead of a host name.', 'Open it under a host name.'),
  too_many_passkeys: because(400, 'The person has 20 passkeys.', 'Remove one.'),
  second_factor_active: because(400, 'The person has a second factor already.', 'Remove it first.'),
  second_factor_absent: because(
    400,
    'The person has no second factor, or none that waits for its first code.',
    'Begin one with `POST /api/openapi/session/totp`, and confirm it within 15 minutes.',
  ),
  oidc_not_configured: because(
    400,
    'The deployment has no identity provider.',
    'Sign in another way. The operator may set `OIDC_ISSUER`.',
  ),
  mail_not_configured: because(
    400,
    'The deployment has no mail server, so it sends no codes and no links.',
    'Sign in with a password, ask for a new invitation, or give a link to the person yourself. The operator may set `MAIL_URL`.',
  ),
  https_needed: because(
    400,
    'People sign in over https, or on the machine itself.',
    'Open the address with https.',
  ),
  session_needed: because(
    403,
    'The operation is for people who signed in.',
    'Sign in, and send the cookie instead of a bearer token.',
  ),
  not_invited: because(
    403,
    'The identity provider knows the person, but no user with a verified address of the person is active or invited.',
    'Ask an owner for an invitation.',
  ),
  second_factor_needed: because(
    403,
    'The person has a second factor.',
    'Repeat the request with `second_factor`: a code of the authenticator app, or a recovery code.',
  ),
  fresh_proof_needed: because(
    403,
    'The sign-in is older than 10 minutes.',
    'Send the present password or a mailed code, or sign in again.',
  ),
  second_factor_wrong: because(
    403,
    'The code of the second factor is wrong, or was used.',
    'Send the next code of the app, or another recovery code. Compare the clock of the phone.',
  ),
  membership: because(
    403,
    'The person does not belong to the team in `X-Parley-Team`.',
    'Choose a team of the session.',
  ),
  oidc_unavailable: because(
    503,
    'The identity provider does not respond, or not as it should. The log says more.',
    retryAfter,
  ),
  link_not_found: because(
    404,
    'The link has expired, or a newer one replaced it.',
    'Create a new link for the device.',
  ),
  too_many_browsers: because(400, 'Alerts are shown in 10 browsers already.', 'Remove one first.'),
};
