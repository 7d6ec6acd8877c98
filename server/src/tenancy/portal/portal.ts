import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { forbidden, invalidInput, unknownTeam } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { createFreshReads } from '../../platform/shared/fresh-reads.ts';
import { newId } from '../../platform/shared/ids.ts';
import { linkUsed } from '../people/links.queries.ts';
import { auditAsCaller } from '../people/people.queries.ts';
import { hashToken, newToken } from '../people/session-cookie.ts';
import { portalPages } from '../roles/portal-pages.ts';
import { teamRoles } from '../roles/roles.ts';
import { lockTeamShared } from '../teams/teams.sql.ts';
import {
  beginPortal,
  insertPortalLink,
  type PortalRow,
  selectPortal,
  selectUsableLink,
} from './portal.queries.ts';
import type { CreatePortalLink, PortalRole, PortalSession } from './portal.schemas.ts';

/** Tells a session of a portal from an access token, which begins otherwise. */
const prefix = 'portal_';

const sessionMinutes = 60;

/** Throws 400 for a team that the actor does not see, then 403 for a role above the actor's. */
export async function createPortalLink(
  tx: Transaction,
  actor: Actor,
  input: CreatePortalLink,
): Promise<{ token: string; expiresAt: Date }> {
  const { team_id: teamId, role, pages, expires_in: seconds = 600 } = input;
  if (!(await lockTeamShared(tx, actor.scope, teamId))) throw invalidInput([unknownTeam]);
  if (!mayGive(actor, role)) {
    throw forbidden('role', `The role ${actor.role} may not open a portal with the role ${role}`);
  }
  const token = newToken();
  const { expires_at: expiresAt } = await insertPortalLink(tx, {
    id: newId(),
    tokenHash: hashToken(token),
    teamId,
    role,
    pages: pages ?? portalPages,
    creatorId: actor.keyId,
    seconds,
  });
  return { token, expiresAt };
}

/** The partner's support works in conversations, as an agent does. */
function mayGive({ scope, role }: Pick<Actor, 'scope' | 'role'>, wanted: PortalRole): boolean {
  const staffRole = role === 'support' ? 'agent' : 'editor';
  const highest = role === null || scope.kind === 'all' ? staffRole : role;
  const roles: readonly string[] = teamRoles;
  return roles.indexOf(wanted) <= roles.indexOf(highest);
}

/** Uses the link up. Throws `link_used`, also if its creator may no longer open it. */
export async function openPortal(tx: Transaction, token: string): Promise<PortalSession> {
  const accessToken = `${prefix}${newToken()}`;
  const hash = hashToken(accessToken);
  const id = await selectUsableLink(tx, hashToken(token));
  if (id === undefined) throw linkUsed();
  await auditAsCaller(tx, `portal:${id}`);
  const used = await beginPortal(tx, id, { hash, minutes: sessionMinutes });
  const portal = used && (await selectPortal(tx, hash));
  if (used === undefined || portal === undefined || !isStillGiven(portal)) throw linkUsed();
  const { team_id, team_name, role, pages } = portal;
  return {
    access_token: accessToken,
    expires_at: timestamp(used.expires_at),
    id,
    team: { id: team_id, name: team_name },
    role,
    pages,
  };
}

/** The creator may have lost its role or moved since. */
const isStillGiven = ({ creator_team_id: of, creator_role, team_id, role }: PortalRow): boolean =>
  (of === null || of === team_id) &&
  mayGive({ scope: of === null ? { kind: 'all' } : { kind: 'team', teamId: of }, role: creator_role }, role);

export interface Portals {
  /** Null: the token is none of a portal. */
  authenticate(token: string): { actor: Promise<Actor | null> | Actor | null } | null;
  close(): void;
}

/** An ended session works at most this much longer. Notifications usually shorten it. */
const maxAgeMs = 2000;
const capacity = 10_000;

export function createPortals({
  db,
  notifications,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
}): Portals {
  // Keyed by hash, so that memory holds no token longer than its request.
  const opened = createFreshReads(
    async (hash: string) => {
      const portal = await selectPortal(db, Buffer.from(hash, 'base64'));
      return portal === undefined || !isStillGiven(portal) ? null : toActor(portal);
    },
    { maxAgeMs, capacity },
  );
  const stopListening = [
    notifications.subscribe('person-changed', opened.clear),
    notifications.subscribe('api-key-changed', opened.clear),
    notifications.onGap(opened.clear),
  ];
  return {
    authenticate: (token) =>
      token.startsWith(prefix) ? { actor: opened.get(hashToken(token).toString('base64')) } : null,
    close() {
      for (const stop of stopListening) stop();
    },
  };
}

const toActor = ({ id, team_id: teamId, role, pages }: PortalRow): Actor => ({
  keyId: `portal:${id}`,
  scope: { kind: 'team', teamId },
  role,
  pages,
});
