import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Static } from 'typebox';
import type { Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import {
  badRequest,
  forbidden,
  type InputIssue,
  invalidInput,
  notFound,
  unauthorized,
  unknownTeam,
} from '../../platform/http/errors.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import type { ValidInput } from '../../platform/http/validation/valid-input.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { partnerRoles, type Role, teamRoles } from '../roles/roles.ts';
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

/** The secret is shown once and cannot be recovered. */
export interface IssuedApiKey {
  keyId: string;
  secret: string;
  createdAt: Date;
}

/** Creates a key of scope global if `teamId` is null. Returns null if the team does not exist. */
export async function createApiKey(
  tx: Transaction,
  encryption: Pick<Encryption, 'keyedHashes'>,
  key: { name: string; teamId: string | null; role: Role | null; expiresAt: Date | null },
): Promise<IssuedApiKey | null> {
  const [keyId, secret] = [newKeyId(), newKeySecret()];
  const row = await insertApiKey(tx, { ...key, keyId, secret: hashSecret(encryption, secret) });
  return row === null ? null : { keyId, secret, createdAt: row.created_at };
}

/** Creates a key from input that `apiKeyIssues` accepts. Throws 400 if the team does not exist, 403 for rights above the actor's. */
export async function issueApiKey(
  tx: Transaction,
  encryption: Pick<Encryption, 'keyedHashes'>,
  actor: Actor,
  input: CreateApiKey,
): Promise<Static<typeof CreatedApiKey>> {
  if (input.team_id === undefined) requireOwner(actor);
  const created = await createApiKey(tx, encryption, {
    name: input.name,
    teamId: input.team_id ?? null,
    role: input.role ?? null,
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

/** Checks the rules that the schema cannot express. */
export const apiKeyIssues = (input: ValidInput<CreateApiKey>, now: Date): InputIssue[] => [
  ...scopeIssues(input),
  ...roleIssues(input),
  ...expiryIssues(input.expires_at, now),
];

/** Tests with `in`, because invalid members are present as undefined. */
function scopeIssues(input: ValidInput<CreateApiKey>): InputIssue[] {
  const scope = 'scope' in input ? input.scope : 'global';
  if (scope === 'team' && !('team_id' in input))
    return [{ path: 'team_id', message: 'is required with scope team' }];
  if (scope === 'global' && 'team_id' in input) {
    return [{ path: 'team_id', message: 'is only for keys of scope team' }];
  }
  return [];
}

function roleIssues({ role, scope }: ValidInput<CreateApiKey>): InputIssue[] {
  const roles: readonly string[] = scope === 'team' ? teamRoles : partnerRoles;
  if (role === undefined || roles.includes(role)) return [];
  return [{ path: 'role', message: `must be one of ${roles.join(', ')} for a key of this scope` }];
}

const latestTime = new Date('9999-12-31T23:59:59.999Z');

function expiryIssues(expiresAt: string | undefined, now: Date): InputIssue[] {
  if (expiresAt === undefined) return [];
  const time = new Date(expiresAt);
  if (time > now && time <= latestTime) return [];
  return [{ path: 'expires_at', message: 'must be a time in the future, before the year 10000' }];
}

export async function updateApiKey(
  tx: Transaction,
  actor: Actor,
  keyId: string,
  changes: UpdateApiKey,
): Promise<Static<typeof ApiKey>> {
  const row = await selectApiKey(tx, keyId);
  if (row === undefined) throw apiKeyNotFound();
  if (row.team_id === null) requireOwner(actor);
  if (changes.is_active === false) await requireOtherKey(tx, actor, row, 'deactivated');
  const updated = await updateApiKeyRow(tx, row.key_id, changes);
  if (updated === undefined) throw apiKeyNotFound();
  return presentApiKey(updated);
}

/** Throws 400 if a key deletes itself (API description, API keys). */
export async function deleteApiKey(tx: Transaction, actor: Actor, keyId: string): Promise<void> {
  const row = await selectApiKey(tx, keyId);
  if (row === undefined) throw apiKeyNotFound();
  if (row.team_id === null) requireOwner(actor);
  await requireOtherKey(tx, actor, row, 'deleted');
  if (!(await deleteApiKeyRow(tx, row.key_id))) throw apiKeyNotFound();
}

/** Keys of scope global belong to the partner's owners, so that no lower role can create, revive or end one. */
function requireOwner({ role }: Actor): void {
  if (role !== null && role !== 'owner') {
    throw forbidden('role', `The role ${role} may not manage API keys of scope global; owner may`);
  }
}

/** Does nothing for a person. Locks both keys. If two keys disable each other at once, the second request is rejected. */
async function requireOtherKey(tx: Transaction, actor: Actor, row: ApiKeyRow, action: string): Promise<void> {
  if (actor.session !== undefined) return;
  if (row.key_id === actor.keyId) throw ownKeyError(action);
  if (!(await lockApiKeys(tx, actor.keyId, row.key_id))) throw unauthorized('invalidToken');
}

export const apiKeyNotFound = () => notFound('api_key');

const ownKeyError = (action: string) =>
  badRequest(
    'own_key',
    `The API key that authenticates this request cannot be ${action}; use another API key`,
  );

export const presentApiKey = (row: ApiKeyRow): Static<typeof ApiKey> => ({
  key_id: row.key_id,
  name: row.name,
  scope: row.scope,
  ...(row.team_id === null ? {} : { team_id: row.team_id }),
  ...(row.role === null ? {} : { role: row.role }),
  is_active: row.is_active,
  expires_at: timestampOrNull(row.expires_at),
  last_used: timestampOrNull(row.last_used),
  created_at: timestamp(row.created_at),
});

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const newKeyId = (): string => `pk_${randomText(20)}`;

/** `sk_`, 43 characters (256 bits) and a checksum of 6 characters that lets secret scanners recognize leaked keys. */
export function newKeySecret(): string {
  const random = randomText(43);
  return `sk_${random}${computeChecksum(random)}`;
}

export function computeChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomText(length: number): string {
  return Array.from({ length }, () => base62.charAt(randomInt(62))).join('');
}
