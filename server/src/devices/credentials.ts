import { randomBytes } from 'node:crypto';
import type { Transaction } from '../platform/database/database.ts';
import type { Actor } from '../platform/http/actor.ts';
import { badRequest, type InputIssue, notFound, requireValid } from '../platform/http/errors.ts';
import type { Encryption, KeyedHash } from '../platform/shared/encryption.ts';
import {
  type CredentialFields,
  credentialRules,
  credentialsEntry,
  type StoredCredentials,
} from '../ports/messaging-network/credentials.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { storeCredentials } from './credentials.queries.ts';
import type { Credentials } from './credentials.schemas.ts';
import { sealedSessions } from './device-sessions.sql.ts';
import { lockDevice } from './devices.queries.ts';
import { deviceNotStopped, webhookUrl } from './devices.ts';

export interface CredentialDeps {
  encryption: Pick<Encryption, 'seal' | 'open'>;
  keyedHash: KeyedHash;
  networks: DeviceNetworks;
  /** The public address of the deployment. */
  baseUrl: string;
}

/** Stores the credentials of a stopped device. They are checked when it connects. */
export async function putCredentials(
  tx: Transaction,
  { encryption, keyedHash, networks, baseUrl }: CredentialDeps,
  actor: Actor,
  deviceId: string,
  given: Credentials,
): Promise<{ device_id: string; webhook_url: string; verify_token: string }> {
  const device = await lockDevice(tx, actor.scope, deviceId);
  if (device === undefined) throw notFound('device');
  const network = networks.of(device);
  const rules = credentialRules[network];
  if (rules === undefined)
    throw badRequest('credentials_unsupported', `Devices of the network ${network} have no credentials`);
  const fields = { ...given };
  requireValid(findIssues(fields, rules.fields, network));
  if (device.status !== 'stopped') throw deviceNotStopped();
  const account = keyedHash(`account of ${network}`, rules.secret(fields)).subarray(0, 18);
  const stored: StoredCredentials = {
    fields,
    accountKey: account.toString('base64url'),
    verifyToken: randomBytes(24).toString('base64url'),
  };
  const context = sealedSessions.context(deviceId, network, credentialsEntry);
  await storeCredentials(tx, deviceId, {
    network,
    id: rules.accountId(fields),
    key: stored.accountKey,
    sealed: encryption.seal(Buffer.from(JSON.stringify(stored)), context),
  });
  return {
    device_id: deviceId,
    webhook_url: webhookUrl(baseUrl, network, stored.accountKey),
    verify_token: stored.verifyToken,
  };
}

function findIssues(
  given: CredentialFields,
  fields: Readonly<Record<string, RegExp>>,
  network: string,
): InputIssue[] {
  const wrong = Object.entries(fields).flatMap(([path, form]) => {
    const value = given[path];
    if (value === undefined) return [{ path, message: `is required for the network ${network}` }];
    return form.test(value) ? [] : [{ path, message: `must match ${form.source}` }];
  });
  const unknown = Object.keys(given)
    .filter((path) => !Object.hasOwn(fields, path))
    .map((path) => ({ path, message: `is not a credential of the network ${network}` }));
  return [...wrong, ...unknown];
}
