import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Authenticate } from '../../platform/http/authentication.ts';
import { forbidden } from '../../platform/http/errors.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { provesSameOrigin } from '../../platform/shared/hosts.ts';
import { hashToken, readSessionCookie } from './session-cookie.ts';
import { type SignedInRow, selectSignedIn } from './sessions.queries.ts';

export interface Sessions {
  /** Authenticates the cookie. Throws 403 `membership` if the header chooses a team that the person does not belong to. */
  authenticate: Authenticate;
  close(): void;
}

interface Known {
  since: number;
  memberships: SignedInRow[] | undefined;
  loading: Promise<SignedInRow[]>;
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
  const known = createBoundedMap<string, Known>(capacity);
  const stopListening = [
    // People change rarely, and few are signed in.
    notifications.subscribe('person-changed', () => known.clear()),
    notifications.onGap(() => known.clear()),
  ];

  const load = (token: string): SignedInRow[] | Promise<SignedInRow[]> => {
    const tokenHash = hashToken(token);
    const name = tokenHash.toString('base64');
    const now = performance.now();
    const entry = known.get(name);
    if (entry !== undefined && now - entry.since < maxAgeMs) return entry.memberships ?? entry.loading;
    const loading = selectSignedIn(db, tokenHash);
    // Cached while loading, so that a change in the meantime removes the entry and no stale state is cached.
    const fresh: Known = { since: now, memberships: undefined, loading };
    known.set(name, fresh);
    loading.then(
      (memberships) => {
        fresh.memberships = memberships;
      },
      () => {
        if (known.get(name) === fresh) known.delete(name);
      },
    );
    return loading;
  };

  return {
    authenticate(headers) {
      const token = readSessionCookie(headers);
      if (token === null || !provesSameOrigin(headers)) return null;
      const memberships = load(token);
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
