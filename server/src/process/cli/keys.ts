import {
  createKeyForOperator,
  listKeysForOperator,
  rotateKeyForOperator,
} from '../../tenancy/api-keys/operator-keys.ts';
import { CommandFailed, type CommandInput, UsageError } from './command.ts';
import { withDatabase } from './open-deployment.ts';
import { formatTable } from './table.ts';

export async function createKey(input: CommandInput): Promise<number> {
  const { name, team, expires } = input.values;
  if (typeof name !== 'string' || name.length > 100 || name.trim() === '')
    throw new UsageError('--name is required, with 1 to 100 characters');
  const expiresAt = typeof expires === 'string' ? readFutureTime(expires) : null;
  const teamId = typeof team === 'string' ? team : null;
  const created = await withDatabase(input, ({ db, encryption }) =>
    createKeyForOperator(db, encryption, { name, teamId, expiresAt }),
  );
  if (created === null) throw new CommandFailed(`There is no team ${teamId}`);
  printKey(input, created);
  return 0;
}

export async function listKeys(input: CommandInput): Promise<number> {
  const keys = await withDatabase(input, ({ db }) => listKeysForOperator(db));
  if (input.values['json'] === true) input.print(JSON.stringify(keys, null, 2));
  else {
    const rows = keys.map((key) => [
      key.key_id,
      key.name,
      'team_id' in key ? key.team_id : 'all teams',
      key.is_active ? 'active' : 'inactive',
      key.expires_at ?? 'never',
      key.last_used ?? 'never',
    ]);
    input.print(formatTable(['KEY_ID', 'NAME', 'TEAM', 'STATE', 'EXPIRES', 'LAST USED'], rows));
  }
  return 0;
}

export async function rotateKey(input: CommandInput): Promise<number> {
  const [keyId = ''] = input.parameters;
  const { hours = '24' } = input.values;
  if (typeof hours !== 'string' || !/^\d{1,4}$/.test(hours))
    throw new UsageError(`--hours must be a whole number from 0 to 9999, not ${hours}`);
  const rotated = await withDatabase(input, ({ db, encryption }) =>
    rotateKeyForOperator(db, encryption, { keyId, hours: Number(hours) }),
  );
  if (rotated === null) throw new CommandFailed(`There is no active API key ${keyId}`);
  printKey(input, rotated);
  process.stderr.write(`The old key ${keyId} expires at ${rotated.oldKeyExpiresAt.toISOString()}.\n`);
  return 0;
}

/** The body of the request for an access token. */
const printKey = ({ print }: CommandInput, { keyId, secret }: { keyId: string; secret: string }): void =>
  print(JSON.stringify({ key_id: keyId, key_secret: secret }, null, 2));

function readFutureTime(text: string): Date {
  const time = new Date(text);
  if (time > new Date()) return time;
  throw new UsageError(`--expires must be a time in the future, like 2027-01-31T00:00:00Z, not ${text}`);
}
