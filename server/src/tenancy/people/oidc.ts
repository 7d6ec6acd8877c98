import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from '../../platform/database/database.ts';
import { badRequest, forbidden, unauthorized, unavailable } from '../../platform/http/errors.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import { insertMember } from '../members/members.queries.ts';
import { saveIdentity, selectIdentity, wasOnStaff } from './identities.queries.ts';
import { isRefusal, type OidcBinding, type OidcClaims, type OidcProvider } from './oidc-provider.ts';
import { auditAs, insertPerson, normalizeEmail } from './people.queries.ts';
import { type Browser, type PeopleDependencies, type Started, startSession } from './people.ts';
import { lockUsersOfAddress, markProved } from './proofs.queries.ts';
import { exempt } from './second-factor.ts';
import { newToken } from './session-cookie.ts';
import { joinUsersOf } from './shared-sign-in.ts';

export interface Oidc {
  provider: OidcProvider;
  /** Addresses of these domains become members of the partner's staff. Null: unknown addresses are refused. */
  unknown: { role: 'admin' | 'support'; domains: ReadonlySet<string> } | null;
}

export interface OidcDependencies extends PeopleDependencies {
  /** Null: no identity provider is configured. */
  oidc: Oidc | null;
  keyedHash: KeyedHash;
}

const requireOidc = (oidc: Oidc | null): Oidc => {
  if (oidc === null)
    throw badRequest('oidc_not_configured', 'This deployment has no identity provider; sign in another way');
  return oidc;
};

const lifetimeMs = 600_000;

/** With the time, which nobody can change: the provider knows only what follows from it. */
const newSecret = (): string => `${newToken()}.${Date.now()}`;

const isLate = (secret: string): boolean => !(Date.now() - Number(secret.split('.')[1]) < lifetimeMs);

/** Everything follows from the secret, which only the browser keeps, and a key of the server, which therefore stores nothing. */
function bind(keyedHash: KeyedHash, secret: string): OidcBinding {
  const derive = (purpose: string) => keyedHash(`oidc ${purpose}`, secret).toString('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

export async function startOidc(
  { oidc, limits, keyedHash }: OidcDependencies,
  browser: Browser,
): Promise<{ secret: string; state: string; url: string }> {
  const { provider } = requireOidc(oidc);
  limits.count(browser.address);
  const secret = newSecret();
  const binding = bind(keyedHash, secret);
  const url = await provider.authorizationUrl(binding).catch(refuse);
  return { secret, state: binding.state, url };
}

/** `secret` is what the cookie of the state holds. Throws 401 unless this browser began the sign-in, in the last 10 minutes. */
export async function signInWithOidc(
  { db, oidc, limits, keyedHash }: OidcDependencies,
  browser: Browser,
  { secret, ...given }: { code: string; state: string; iss?: string; secret: string | null },
): Promise<Started> {
  const configured = requireOidc(oidc);
  limits.count(browser.address);
  if (secret === null || isLate(secret)) throw unauthorized('invalidKey');
  const binding = bind(keyedHash, secret);
  if (!isSame(binding.state, given.state)) throw unauthorized('invalidKey');
  const claims = await configured.provider.exchange(given, binding).catch(refuse);
  return db.transaction().execute(async (tx) => {
    const email = claims.email === null ? null : normalizeEmail(claims.email);
    if (email !== null) await admit(tx, email, claims, configured);
    const known = await selectIdentity(tx, claims);
    // A person who is known already may have got a new address, which proves nothing about the old one.
    const proves = email !== null && (known === undefined || known.email === email);
    const personId = (proves ? await joinUsersOf(tx, email) : null) ?? known?.person_id;
    if (personId === undefined)
      throw forbidden(
        'not_invited',
        'Nobody with a verified address of this account is invited; ask an owner for an invitation',
      );
    await saveIdentity(tx, claims, personId);
    // The provider asks for a second factor, or does not.
    return startSession(tx, personId, browser, exempt);
  });
}

/** Makes an unknown person of an allowed domain a member of the partner's staff, but nobody who was removed from it. */
async function admit(tx: Transaction, email: string, claims: OidcClaims, { unknown }: Oidc): Promise<void> {
  const users = await lockUsersOfAddress(tx, email);
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (users.length > 0 || unknown === null || !unknown.domains.has(domain)) return;
  if ((await selectIdentity(tx, claims)) !== undefined || (await wasOnStaff(tx, email, claims))) return;
  const userId = newId();
  await auditAs(tx, userId);
  const name = (claims.name ?? email).slice(0, maxName);
  await insertMember(tx, null, userId, { name, email, role: unknown.role });
  const id = newId();
  await insertPerson(tx, { id, email, passwordHash: null }, userId);
  await markProved(tx, id);
}

const maxName = 100;

const isSame = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

function refuse(error: unknown): never {
  if (isRefusal(error)) throw unauthorized('invalidKey');
  throw unavailable('oidc_unavailable', 'The identity provider is away; retry', 5, error);
}
