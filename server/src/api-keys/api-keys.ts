import type { Static } from 'typebox';
import type { Transaction } from '../database/database.ts';
import type { Actor } from '../http/actor.ts';
import {
  badRequest,
  type InputIssue,
  invalidInput,
  notFound,
  unauthorized,
  unknownTeam,
} from '../http/errors.ts';
import { timestamp, timestampOrNull } from '../http/fields.ts';
import type { ValidInput } from '../http/validation/valid-input.ts';
import type { Encryption } from '../shared/encryption.ts';
import {
  type ApiKeyRow,
  deleteApiKeyRow,
  insertApiKey,
  lockApiKeys,
  selectApiKey,
  updateApiKeyRow,
} from './api-keys.queries.ts';
import type { ApiKey, CreateApiKey, CreatedApiKey, UpdateApiKey } from './api-keys.schemas.ts';
import { hashSecret } from './credentials.ts';
import { newKeyId, newKeySecret } from './key-format.ts';

/** A key as it is shown once: nothing stored leads back to its secret. */
export interface IssuedApiKey {
  keyId: string;
  secret: string;
  createdAt: Date;
}

/** `teamId` null: of scope global. Null when the team does not exist. */
export async function createApiKey(
  tx: Transaction,
  encryption: Pick<Encryption, 'keyedHash'>,
  key: { name: string; teamId: string | null; expiresAt: Date | null },
): Promise<IssuedApiKey | null> {
  const [keyId, secret] = [newKeyId(), newKeySecret()];
  const row = await insertApiKey(tx, { ...key, keyId, secretHash: hashSecret(encryption, secret) });
  return row === null ? null : { keyId, secret, createdAt: row.created_at };
}

/** `POST /api-keys`: what is asked for, once `apiKeyIssues` finds no fault with it. */
export async function issueApiKey(
  tx: Transaction,
  encryption: Pick<Encryption, 'keyedHash'>,
  input: CreateApiKey,
): Promise<Static<typeof CreatedApiKey>> {
  const created = await createApiKey(tx, encryption, {
    name: input.name,
    teamId: input.team_id ?? null,
    expiresAt: input.expires_at === undefined ? null : new Date(input.expires_at),
  });
  if (created === null) throw invalidInput([unknownTeam]);
  return {
    key_id: created.keyId,
    key_secret: created.secret,
    name: input.name,
    created_at: timestamp(created.createdAt),
  };
}

/** What a schema cannot say of a new key at the time `now`. */
export const apiKeyIssues = (input: ValidInput<CreateApiKey>, now: Date): InputIssue[] => [
  ...scopeIssues(input),
  ...expiryIssues(input.expires_at, now),
];

/** A scope or team that is faulty by itself is there, as undefined. */
function scopeIssues(input: ValidInput<CreateApiKey>): InputIssue[] {
  const scope = 'scope' in input ? input.scope : 'global';
  if (scope === 'team' && !('team_id' in input))
    return [{ path: 'team_id', message: 'is required with scope team' }];
  if (scope === 'global' && 'team_id' in input) {
    return [{ path: 'team_id', message: 'is only for keys of scope team' }];
  }
  return [];
}

/** The latest time that is written with four digits of the year. */
const latestTime = new Date('9999-12-31T23:59:59.999Z');

/** The format of a date-time allows a leap second, which is no time here. */
function expiryIssues(expiresAt: string | undefined, now: Date): InputIssue[] {
  if (expiresAt === undefined) return [];
  const time = new Date(expiresAt);
  if (time > now && time <= latestTime) return [];
  return [{ path: 'expires_at', message: 'must be a time in the future, before the year 10000' }];
}

/** Renames, activates or deactivates. A key cannot shut itself out. */
export async function updateApiKey(
  tx: Transaction,
  actor: Actor,
  keyId: string,
  changes: UpdateApiKey,
): Promise<Static<typeof ApiKey>> {
  const row = await selectApiKey(tx, keyId);
  if (row === undefined) throw apiKeyNotFound();
  if (changes.is_active === false) await requireOther(tx, actor, row, 'deactivated');
  const updated = await updateApiKeyRow(tx, row.key_id, changes);
  if (updated === undefined) throw apiKeyNotFound();
  return presentApiKey(updated);
}

/** "The key used to authenticate the current request cannot be deleted." */
export async function deleteApiKey(tx: Transaction, actor: Actor, keyId: string): Promise<void> {
  const row = await selectApiKey(tx, keyId);
  if (row === undefined) throw apiKeyNotFound();
  await requireOther(tx, actor, row, 'deleted');
  if (!(await deleteApiKeyRow(tx, row.key_id))) throw apiKeyNotFound();
}

/** Two keys that shut each other out at the same time do so one after the other: the second is refused. */
async function requireOther(tx: Transaction, actor: Actor, row: ApiKeyRow, deed: string): Promise<void> {
  if (row.key_id === actor.keyId) throw ownKey(deed);
  if (!(await lockApiKeys(tx, actor.keyId, row.key_id))) throw unauthorized();
}

export const apiKeyNotFound = () => notFound('api key');

const ownKey = (deed: string) =>
  badRequest('own_key', `The API key that authenticates this request cannot be ${deed}`);

export const presentApiKey = (row: ApiKeyRow): Static<typeof ApiKey> => ({
  key_id: row.key_id,
  name: row.name,
  scope: row.scope,
  ...(row.team_id === null ? {} : { team_id: row.team_id }),
  is_active: row.is_active,
  expires_at: timestampOrNull(row.expires_at),
  last_used: timestampOrNull(row.last_used),
  created_at: timestamp(row.created_at),
});
