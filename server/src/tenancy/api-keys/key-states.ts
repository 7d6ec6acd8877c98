import type { Database } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { createFreshReads } from '../../platform/shared/fresh-reads.ts';
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

const maxAgeMs = 2000;
const capacity = 10_000;

export function createKeyStates({
  db,
  notifications,
}: {
  db: Database;
  notifications: Pick<Notifications, 'subscribe' | 'onGap'>;
}): KeyStates {
  const states = createFreshReads(
    async (keyId: string) => {
      const row = await selectApiKey(db, keyId);
      return row === undefined ? null : toKeyState(row);
    },
    { maxAgeMs, capacity },
  );
  const stopListening = [
    notifications.subscribe('api-key-changed', states.delete),
    notifications.onGap(states.clear),
  ];
  return {
    get: states.get,
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
