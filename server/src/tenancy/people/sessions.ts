import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Authenticate } from '../../platform/http/authentication.ts';
import { forbidden } from '../../platform/http/errors.ts';
import { createFreshReads } from '../../platform/shared/fresh-reads.ts';
import { provesSameOrigin } from '../../platform/shared/hosts.ts';
import { hashToken, readSessionCookie } from './session-cookie.ts';
import { type SignedInRow, selectSignedIn } from './sessions.queries.ts';

export interface Sessions {
  /** Authenticates the cookie. Throws 403 `membership` if the header chooses a team that the person does not belong to. */
  authenticate: Authenticate;
  close(): void;
}

/** An ended session works at most this much longer. Notifications usually shorten it. */
const maxAgeMs = 2000;
const capacity = 10_000;

export function createSessions({
  db,
  notifications,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
}): Sessions {
  // Keyed by hash, so that memory holds no token longer than its request.
  const signedIn = createFreshReads(
    (tokenHash: string) => selectSignedIn(db, Buffer.from(tokenHash, 'base64')),
    { maxAgeMs, capacity },
  );
  const stopListening = [
    // People change rarely, and few are signed in.
    notifications.subscribe('person-changed', signedIn.clear),
    notifications.onGap(signedIn.clear),
  ];
  return {
    authenticate(headers) {
      const token = readSessionCookie(headers);
      if (token === null || !provesSameOrigin(headers)) return null;
      const memberships = signedIn.get(hashToken(token).toString('base64'));
      return memberships instanceof Promise
        ? memberships.then((loaded) => choose(loaded, headers))
        : choose(memberships, headers);
    },
    close() {
      for (const stop of stopListening) stop();
    },
  };
}

function choose(memberships: readonly SignedInRow[], headers: IncomingHttpHeaders): Actor | null {
  const [first] = memberships;
  if (first === undefined) return null;
  const wanted = headers['x-parley-team'];
  const chosen =
    wanted === undefined
      ? first
      : memberships.find(({ team_id: team }) => (team ?? 'partner') === String(wanted).toLowerCase());
  if (chosen === undefined) throw forbidden('membership', 'The person does not belong to this team');
  const { id, person_id: personId, user_id: userId, team_id: teamId, role } = chosen;
  return {
    keyId: `user:${userId}`,
    scope: teamId === null ? { kind: 'all' } : { kind: 'team', teamId },
    role,
    session: { id, personId },
  };
}
