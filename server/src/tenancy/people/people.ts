import type { Database, Transaction } from '../../platform/database/database.ts';
import { badRequest, notFound, unauthorized } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { toNetwork } from '../../platform/http/limits/attempts.ts';
import { isUuid, newId } from '../../platform/shared/ids.ts';
import { readBrand } from '../brands/brands.ts';
import { insertMember } from '../members/members.queries.ts';
import { linkUsed, selectInvitation, takeLink } from './links.queries.ts';
import { isSameHash } from './passwords.ts';
import {
  anyOwnerIsActive,
  auditAs,
  insertPerson,
  lockPerson,
  lockSetUp,
  normalizeEmail,
  selectPeople,
  selectPersonOfUser,
  selectUser,
  selectUsersOf,
  updatePassword,
} from './people.queries.ts';
import type { Session } from './people.schemas.ts';
import { takeProof } from './proofs.queries.ts';
import {
  checkSecondFactor,
  exempt,
  type SecondFactorCheck,
  type SecondFactorDependencies,
} from './second-factor.ts';
import { hashToken, newToken } from './session-cookie.ts';
import {
  deleteSession,
  deleteSessions,
  insertSession,
  type SessionRow,
  selectSessions,
} from './sessions.queries.ts';
import { joinUsersOf } from './shared-sign-in.ts';

export type PeopleDependencies = SecondFactorDependencies;

/** Where a request comes from. */
export interface Browser {
  address: string;
  userAgent: string | null;
  /** The token of the cookie that the browser sent. */
  cookie: string | null;
}

/** A session that begins. */
export interface Started {
  token: string;
  session: Session;
}

/** After a link, which proves the person, a password can be set for this long. */
export const settableMinutes = 15;

/** A browser never keeps the session of a cookie that it brought along. Throws what `check` throws. */
export async function startSession(
  tx: Transaction,
  personId: string,
  { address, userAgent, cookie }: Browser,
  check: SecondFactorCheck,
  minutes = 0,
): Promise<Started> {
  const token = newToken();
  const id = newId();
  const [user] = await selectUsersOf(tx, personId);
  if (user === undefined) throw unauthorized('invalidKey');
  await auditAs(tx, user.user_id);
  await check(tx, personId);
  await insertSession(
    tx,
    { id, tokenHash: hashToken(token), personId, address, userAgent, settableMinutes: minutes },
    cookie === null ? null : hashToken(cookie),
  );
  return { token, session: await describeSession(tx, { id, personId, userId: user.user_id }) };
}

/** Throws 401 if the session has just ended. */
export async function describeSession(
  db: Database | Transaction,
  { id, personId, userId }: { id: string; personId: string; userId: string },
): Promise<Session> {
  const users = await selectUsersOf(db, personId);
  const user = users.find((candidate) => candidate.user_id === userId);
  const session = (await selectSessions(db, personId)).find((candidate) => candidate.id === id);
  if (user === undefined || session === undefined) throw unauthorized('invalidToken');
  const { name, email, phone, role, created_at } = user;
  return {
    user: { id: userId, name, email, phone, created_at: timestamp(created_at), role },
    team: presentTeam(user),
    role,
    memberships: users.map((membership) => ({
      user_id: membership.user_id,
      team: presentTeam(membership),
      role: membership.role,
    })),
    has_password: session.has_password,
    password_settable: session.settable,
    has_second_factor: session.has_second_factor,
    recovery_codes: session.recovery_codes,
    session: presentSession(session, id),
  };
}

const presentTeam = ({
  team_id: id,
  team_name: name,
}: {
  team_id: string | null;
  team_name: string | null;
}) => (id === null ? null : { id, name: name ?? '' });

const presentSession = (row: SessionRow, currentId: string) => ({
  id: row.id,
  created_at: timestamp(row.created_at),
  last_seen_at: timestamp(row.last_seen_at),
  expires_at: timestamp(row.expires_at),
  address: row.address,
  user_agent: row.user_agent,
  current: row.id === currentId,
});

export const listSessions = async (db: Database, { id, personId }: { id: string; personId: string }) =>
  (await selectSessions(db, personId)).map((row) => presentSession(row, id));

export async function endSession(tx: Transaction, personId: string, id: string): Promise<void> {
  if (!isUuid(id) || !(await deleteSession(tx, personId, id))) throw notFound('session');
}

/**
 * Does the same work for a wrong password and for an unknown address. Signs in the oldest person of the address with this password:
 * nobody has proved that the others are the same.
 */
export async function signInWithPassword(
  deps: PeopleDependencies,
  browser: Browser,
  input: { email: string; password: string; second_factor?: string },
): Promise<Started> {
  const { db, passwords, limits } = deps;
  const email = normalizeEmail(input.email);
  limits.count(browser.address, email);
  const people = await selectPeople(db, email, browser.address);
  if (!people.some((person) => person.is_known_here)) limits.countElsewhere(email);
  const hash = await passwords.hash(input.password, email, toNetwork(browser.address));
  const hasPassword = (person: { password_hash: string | null } | undefined) =>
    isSameHash(person?.password_hash ?? '', hash);
  const found = people.find(hasPassword);
  if (found === undefined) throw unauthorized('invalidKey');
  return db.transaction().execute(async (tx) => {
    // The password may have changed meanwhile.
    if (!hasPassword(await lockPerson(tx, found.id))) throw unauthorized('invalidKey');
    return startSession(tx, found.id, browser, checkSecondFactor(deps, input.second_factor));
  });
}

/** Ends all sessions of the person and begins a new one. Throws `password_wrong`. */
export async function changePassword(
  { db, passwords, limits }: PeopleDependencies,
  { id, personId }: { id: string; personId: string },
  browser: Browser,
  input: { password: string; current_password?: string },
): Promise<Started> {
  const [user] = await selectUsersOf(db, personId);
  if (user === undefined) throw unauthorized('invalidToken');
  const email = normalizeEmail(user.email);
  const network = toNetwork(browser.address);
  const { current_password: current } = input;
  if (current !== undefined) limits.count(browser.address, email);
  const given = current === undefined ? null : await passwords.hash(current, email, network);
  const hash = await passwords.hash(input.password, email, network);
  return db.transaction().execute(async (tx) => {
    const person = await lockPerson(tx, personId);
    const session = (await selectSessions(tx, personId)).find((candidate) => candidate.id === id);
    if (person === undefined || session === undefined) throw unauthorized('invalidToken');
    const isRight = given !== null && isSameHash(person.password_hash ?? '', given);
    if (!session.settable && !isRight) throw badRequest('password_wrong', 'The present password is wrong');
    await updatePassword(tx, personId, hash);
    await deleteSessions(tx, personId);
    // The session before proved it.
    return startSession(tx, personId, browser, exempt);
  });
}

/** Creates the first owner of the deployment. Throws `link_used`. */
export async function setUp(
  { db, passwords, limits }: PeopleDependencies,
  browser: Browser,
  input: { token: string; name: string; email: string; password: string },
): Promise<Started> {
  limits.count(browser.address);
  const email = normalizeEmail(input.email);
  const passwordHash = await passwords.hash(input.password, email, toNetwork(browser.address));
  return db.transaction().execute(async (tx) => {
    await lockSetUp(tx);
    await takeLink(tx, 'setup', input.token);
    if (await anyOwnerIsActive(tx)) throw linkUsed();
    const [userId, id] = [newId(), newId()];
    await auditAs(tx, userId);
    await insertMember(tx, null, userId, { name: input.name, email: input.email, role: 'owner' });
    await insertPerson(tx, { id, email, passwordHash }, userId);
    // A new person has none.
    return startSession(tx, id, browser, exempt);
  });
}

export async function readInvitation({ db, limits }: PeopleDependencies, browser: Browser, token: string) {
  limits.count(browser.address);
  const invitation = await selectInvitation(db, token);
  const user = await selectUser(db, invitation.user_id);
  if (user === undefined) throw linkUsed();
  return {
    name: user.name,
    email: user.email,
    role: user.role,
    team: presentTeam(user),
    brand: user.team_id === null ? null : await readBrand(db, user.team_id),
    expires_at: timestamp(invitation.expires_at),
  };
}

/** Makes the user a person of its own, even if others have the address. Throws `link_used`. */
export async function acceptInvitation(
  deps: PeopleDependencies,
  browser: Browser,
  { token, password }: { token: string; password: string },
): Promise<Started> {
  const { db, passwords } = deps;
  const invited = await readInvitation(deps, browser, token);
  const email = normalizeEmail(invited.email);
  const passwordHash = await passwords.hash(password, email, toNetwork(browser.address));
  return db.transaction().execute(async (tx) => {
    const userId = await takeLink(tx, 'invitation', token);
    if (userId === null) throw linkUsed();
    const id = newId();
    await auditAs(tx, userId);
    if (!(await insertPerson(tx, { id, email, passwordHash }, userId))) throw linkUsed();
    // A new person has none.
    return startSession(tx, id, browser, exempt);
  });
}

/**
 * A link that the operator of the machine made, which is the way in without the phone, or one that proves an address by mail. Throws
 * `link_used`.
 */
export async function signInWithLink(
  deps: PeopleDependencies,
  browser: Browser,
  { token, password, second_factor: code }: { token: string; password?: string; second_factor?: string },
): Promise<Started> {
  const { db, passwords, limits } = deps;
  limits.count(browser.address);
  return db.transaction().execute(async (tx) => {
    const proved = await takeProof(tx, hashToken(token));
    const person =
      proved === undefined
        ? await personOfLink(tx, token)
        : { id: await joinUsersOf(tx, proved, { afresh: password !== undefined }), email: proved };
    const { id, email } = person;
    if (id === null) throw linkUsed();
    if (password !== undefined) {
      await updatePassword(tx, id, await passwords.hash(password, email, toNetwork(browser.address)));
      await deleteSessions(tx, id);
    }
    const check = proved === undefined ? exempt : checkSecondFactor(deps, code);
    return startSession(tx, id, browser, check, settableMinutes);
  });
}

async function personOfLink(tx: Transaction, token: string): Promise<{ id: string; email: string }> {
  const userId = await takeLink(tx, 'sign_in', token);
  const user = userId === null ? undefined : await selectUser(tx, userId);
  if (user === undefined) throw linkUsed();
  await auditAs(tx, user.user_id);
  const email = normalizeEmail(user.email);
  const known = await selectPersonOfUser(tx, user.user_id);
  if (known !== undefined) return { id: known.id, email };
  const id = newId();
  await insertPerson(tx, { id, email, passwordHash: null }, user.user_id);
  return { id, email };
}
