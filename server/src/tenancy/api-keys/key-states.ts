import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import type { Role } from '../roles/roles.ts';
import { type ApiKeyRow, selectApiKey } from './api-keys.queries.ts';

export interface KeyState {
  isActive: boolean;
  /** Tokens of an earlier generation are invalid. */
  tokenGeneration: number;
  expiresAt: Date | null;
  scope: Scope;
  role: Role | null;
}

export interface KeyStates {
  /**
   * Returns null for an unknown key, and no promise for a cached state. A state is at most `maxAgeMs` old. Notifications
   * usually invalidate it earlier.
   */
  get(keyId: string): Promise<KeyState | null> | KeyState | null;
  close(): void;
}

interface Known {
  since: number;
  state: KeyState | null | undefined;
  loading: Promise<KeyState | null>;
}

const maxAgeMs = 2000;
const capacity = 10_000;

export function createKeyStates({
  db,
  notifications,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
}): KeyStates {
  const known = createBoundedMap<string, Known>(capacity);
  const stopListening = [
    notifications.subscribe('api-key-changed', (keyId) => known.delete(keyId)),
    notifications.onGap(() => known.clear()),
  ];
  return {
    get(keyId) {
      const now = performance.now();
      const entry = known.get(keyId);
      if (entry !== undefined && now - entry.since < maxAgeMs) {
        return entry.state === undefined ? entry.loading : entry.state;
      }
      const loading = selectApiKey(db, keyId).then((row) => (row === undefined ? null : toKeyState(row)));
      // Cached while loading, so that a change in the meantime removes the entry and no stale state is cached.
      const fresh: Known = { since: now, state: undefined, loading };
      known.set(keyId, fresh);
      loading.then(
        (state) => {
          fresh.state = state;
        },
        () => {
          if (known.get(keyId) === fresh) known.delete(keyId);
        },
      );
      return loading;
    },
    close() {
      for (const stop of stopListening) stop();
    },
  };
}

export const toKeyState = (row: ApiKeyRow): KeyState => ({
  isActive: row.is_active,
  tokenGeneration: row.token_generation,
  expiresAt: row.expires_at,
  scope: row.team_id === null ? { kind: 'all' } : { kind: 'team', teamId: row.team_id },
  role: row.role,
});

export const isUsable = ({ isActive, expiresAt }: KeyState, now: Date): boolean =>
  isActive && (expiresAt === null || expiresAt > now);
