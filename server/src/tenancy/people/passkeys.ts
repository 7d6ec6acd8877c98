import { createHash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Database } from '../../platform/database/database.ts';
import { badRequest, notFound, unauthorized } from '../../platform/http/errors.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import { isUuid, newId } from '../../platform/shared/ids.ts';
import {
  deletePasskeyRow,
  insertChallenge,
  insertPasskey,
  lockPasskey,
  noteUse,
  type PasskeyRow,
  selectPasskeys,
  takeChallenge,
} from './passkeys.queries.ts';
import type { NewPasskey, Passkey, PasskeySignIn } from './passkeys.schemas.ts';
import { lockPerson, selectUsersOf } from './people.queries.ts';
import { type Browser, type PeopleDependencies, type Started, startSession } from './people.ts';
import { exempt } from './second-factor.ts';

/** The page that asks: passkeys belong to the host name of the page. */
export interface Site {
  host: string;
  /** With scheme and port. */
  origin: string;
}

const maxPasskeys = 20;

/** EdDSA, ES256 and RS256, which every platform has one of. */
const algorithms = [-8, -7, -257];

/** Browsers make passkeys for names only. Throws `passkey_host`. */
function requireName({ host }: Site): string {
  if (isIP(host) !== 0)
    throw badRequest('passkey_host', 'Open the console under a host name: an address has no passkeys');
  return host;
}

const hashChallenge = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();

async function newChallenge(db: Database, personId: string | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  await insertChallenge(db, hashChallenge(challenge), personId);
  return challenge;
}

/** Uses up the challenge that the client data name. Committed by itself, so that no two requests use it. */
async function takeChallengeOf(
  db: Database,
  clientData: string,
  personId: string | null,
): Promise<string | null> {
  const { challenge } = readClientData(clientData);
  if (typeof challenge !== 'string') return null;
  return (await takeChallenge(db, hashChallenge(challenge), personId)) ? challenge : null;
}

function readClientData(clientData: string): { challenge?: unknown } {
  try {
    return Object(JSON.parse(Buffer.from(clientData, 'base64url').toString()));
  } catch {
    return {};
  }
}

/** The caller has asked for a fresh proof of the person. */
export async function startPasskey(
  { db, brandName }: Pick<PeopleDependencies, 'db' | 'brandName'>,
  personId: string,
  site: Site,
) {
  const host = requireName(site);
  const [user] = await selectUsersOf(db, personId);
  if (user === undefined) throw unauthorized('invalidToken');
  const known = await selectPasskeys(db, personId);
  return {
    challenge: await newChallenge(db, personId),
    host,
    brand: brandName,
    user: { id: userHandle(personId), name: user.email, display_name: user.name },
    algorithms,
    existing: known.map(({ credential_id: id }) => id.toString('base64url')),
  };
}

/** It has no meaning outside of this deployment. */
const userHandle = (personId: string): string => Buffer.from(personId).toString('base64url');

/** Throws `passkey_refused` and `too_many_passkeys`. */
export async function addPasskey(
  { db }: Pick<PeopleDependencies, 'db'>,
  personId: string,
  site: Site,
  { name, id, client_data: clientDataJSON, attestation: attestationObject }: NewPasskey,
): Promise<Passkey> {
  const host = requireName(site);
  const refuse = () => badRequest('passkey_refused', 'The passkey could not be checked; begin again');
  const challenge = await takeChallengeOf(db, clientDataJSON, personId);
  if (challenge === null) throw refuse();
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { registrationInfo: checked } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: host,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ registrationInfo: undefined }));
  if (checked === undefined) throw refuse();
  const { credential } = checked;
  return db.transaction().execute(async (tx) => {
    if ((await lockPerson(tx, personId)) === undefined) throw unauthorized('invalidToken');
    if ((await selectPasskeys(tx, personId)).length >= maxPasskeys)
      throw badRequest('too_many_passkeys', `A person has at most ${maxPasskeys} passkeys; remove one`);
    const row = await insertPasskey(tx, {
      id: newId(),
      personId,
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      host,
      name,
    });
    if (row === undefined) throw refuse();
    return presentPasskey(row);
  });
}

export const listPasskeys = async (db: Database, personId: string): Promise<Passkey[]> =>
  (await selectPasskeys(db, personId)).map(presentPasskey);

export async function deletePasskey(db: Database, personId: string, id: string): Promise<void> {
  const found = isUuid(id) && (await db.transaction().execute((tx) => deletePasskeyRow(tx, personId, id)));
  if (!found) throw notFound('passkey');
}

const presentPasskey = ({ id, name, host, created_at, last_used_at }: PasskeyRow): Passkey => ({
  id,
  name,
  host,
  created_at: timestamp(created_at),
  last_used_at: timestampOrNull(last_used_at),
});

export async function startPasskeySignIn(
  { db, limits }: Pick<PeopleDependencies, 'db' | 'limits'>,
  address: string,
  site: Site,
): Promise<{ challenge: string; host: string }> {
  const host = requireName(site);
  limits.count(address);
  return { challenge: await newChallenge(db, null), host };
}

/** The authenticator has checked the person itself, so this is a whole sign-in. Throws 401. */
export async function signInWithPasskey(
  { db, limits }: Pick<PeopleDependencies, 'db' | 'limits'>,
  browser: Browser,
  site: Site,
  input: PasskeySignIn,
): Promise<Started> {
  const host = requireName(site);
  limits.count(browser.address);
  const { id, client_data, authenticator_data, signature, user } = input;
  const challenge = await takeChallengeOf(db, client_data, null);
  if (challenge === null) throw unauthorized('invalidKey');
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  return db.transaction().execute(async (tx) => {
    const known = await lockPasskey(tx, Buffer.from(id, 'base64url'), host);
    if (known === undefined || user !== userHandle(known.person_id)) throw unauthorized('invalidKey');
    // Also refuses a counter that does not rise, as that of a copied authenticator.
    const { verified, authenticationInfo: checked } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client_data,
          authenticatorData: authenticator_data,
          signature,
          userHandle: user,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: host,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(known.public_key), counter: known.counter },
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || checked === undefined) throw unauthorized('invalidKey');
    await noteUse(tx, known.id, checked.newCounter);
    return startSession(tx, known.person_id, browser, exempt);
  });
}
