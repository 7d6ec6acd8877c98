import { createHash } from 'node:crypto';
import { lockBotShared } from '../knowledge/bots/bots.sql.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { createLoader } from '../platform/database/loader.ts';
import type { Actor } from '../platform/http/actor.ts';
import {
  badRequest,
  invalidInput,
  notFound,
  quotaExceeded,
  requireValid,
  unknownTeam,
} from '../platform/http/errors.ts';
import { requireUnchanged } from '../platform/http/expected-update.ts';
import { timestamp, timestampOrNull } from '../platform/http/fields.ts';
import { newId } from '../platform/shared/ids.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { type NetworkCapabilities, takesCredentials } from '../ports/messaging-network/supported-content.ts';
import { scheduleDeletion } from '../records/external-deletions/external-deletions.ts';
import { seesSecrets } from '../tenancy/roles/roles.ts';
import { lockTeamShared } from '../tenancy/teams/teams.sql.ts';
import { chargeQuota } from '../tenancy/usage/usage.sql.ts';
import { deleteUnlinkedSession } from './device-sessions.sql.ts';
import type { GetDeviceToken } from './device-token.ts';
import {
  type DeviceLookup,
  type DeviceRow,
  deleteDeviceRow,
  insertDevice,
  isSiteKeyInUse,
  lockDevice,
  selectDevicesById,
  startTokenGeneration,
  updateDevice,
} from './devices.queries.ts';
import type { CreateDevice, Device, UpdateDevice, WebChat, WebChatSettings } from './devices.schemas.ts';
import { reserveCapacity } from './pools/pools.sql.ts';
import { isTemplateForText } from './templates.queries.ts';

/** Creates a stopped device on the pool with the most free capacity. */
export async function createDevice(
  tx: Transaction,
  actor: Actor,
  input: CreateDevice,
  { enabled }: Pick<DeviceNetworks, 'enabled'>,
): Promise<DeviceRow> {
  const { network = enabled[0] ?? '' } = input;
  const isEnabled = enabled.some((name) => name === network);
  const seesTeam = await lockTeamShared(tx, actor.scope, input.team_id);
  const hasBot = seesTeam && (await lockBotShared(tx, input.team_id, input.bot_id));
  requireValid([
    ...(seesTeam ? [] : [unknownTeam]),
    ...(hasBot ? [] : [unknownBot('this team')]),
    ...(isEnabled ? [] : [disabledNetwork(enabled)]),
  ]);
  const usedUp = await chargeQuota(tx, input.team_id, 'accounts');
  if (usedUp !== null) throw quotaExceeded('accounts', { ...usedUp, needed: 1 });
  const place = await reserveCapacity(tx);
  if (place === null)
    throw badRequest(
      'pool_capacity',
      'No pool has capacity for another device; start another pool or delete devices',
    );
  const id = newId();
  await insertDevice(tx, id, { ...input, network }, place);
  return getDevice(tx, actor, id);
}

/** Throws NotFound if the device is outside the scope. */
export async function getDevice(tx: Transaction, { scope }: Actor, id: string): Promise<DeviceRow> {
  const [row] = await selectDevicesById(tx, [{ scope, id }]);
  return foundDevice(row);
}

export type ReadDevice = (actor: Actor, id: string) => Promise<DeviceRow>;

/** Batches concurrent reads into one statement. Throws NotFound like `getDevice`. */
export function createDeviceReader(db: Database): ReadDevice {
  const read = createLoader((asked: readonly DeviceLookup[]) => selectDevicesById(db, asked));
  return async ({ scope }, id) => foundDevice(await read({ scope, id }));
}

function foundDevice(row: DeviceRow | undefined): DeviceRow {
  if (row === undefined) throw notFound('device');
  return row;
}

export async function changeDevice(
  tx: Transaction,
  actor: Actor,
  id: string,
  input: UpdateDevice,
): Promise<DeviceRow> {
  const device = await lockDevice(tx, actor.scope, id);
  if (device === undefined) throw notFound('device');
  if (input.bot_id !== undefined && !(await lockBotShared(tx, device.team_id, input.bot_id))) {
    throw invalidInput([unknownBot("the device's team")]);
  }
  const { name, bot_id, updated_at } = device;
  if (input.web_chat !== undefined) requireWebChat(device, input.web_chat);
  if (input.default_template != null && !(await isTemplateForText(tx, id, input.default_template)))
    throw invalidInput([
      { path: 'default_template', message: 'must be an approved template of the device with one variable' },
    ]);
  requireUnchanged(input, {
    name,
    bot_id,
    web_chat: device.web_chat ?? {},
    default_template: device.default_template,
    updated_at: timestamp(updated_at),
  });
  await updateDevice(tx, id, input).catch((error: unknown) => {
    throw isSiteKeyInUse(error) ? invalidInput([siteKeyInUse]) : error;
  });
  return getDevice(tx, actor, id);
}

/** Invalidates the device's token. The returned device has a new one. */
export async function revokeDeviceToken(tx: Transaction, actor: Actor, id: string): Promise<DeviceRow> {
  if ((await lockDevice(tx, actor.scope, id)) === undefined) throw notFound('device');
  await startTokenGeneration(tx, id);
  return getDevice(tx, actor, id);
}

/** Whether a phone knows the device. Networks without phones, and those with credentials, have nothing to unlink. */
export const isLinked = ({ logged_in, phone_number, network }: DeviceRow): boolean =>
  logged_in && phone_number !== null && !takesCredentials(network);

/** Ends the messages that a device would still send. */
export type EndMessages = (tx: Transaction, deviceId: string) => Promise<void>;

/** Schedules the unlink of a linked phone. The pool deletes the credentials after the unlink. */
export async function deleteDevice(
  tx: Transaction,
  actor: Actor,
  id: string,
  endMessagesOfDevice: EndMessages,
): Promise<void> {
  const device = await lockDevice(tx, actor.scope, id);
  if (device === undefined) throw notFound('device');
  if (device.status !== 'stopped') throw deviceNotStopped();
  if (isLinked(device))
    await scheduleDeletion(tx, [{ teamId: device.team_id, kind: 'session', ref: device.id }]);
  else await deleteUnlinkedSession(tx, device.id);
  await endMessagesOfDevice(tx, device.id);
  await deleteDeviceRow(tx, device);
}

export const deviceNotStopped = () =>
  badRequest('device_not_stopped', 'The device is started; stop it first');

/** Where the network of a device with credentials pushes events. */
export const webhookUrl = (baseUrl: string, network: string, accountKey: string): string =>
  `${baseUrl.replace(/\/$/, '')}/networks/${network}/${accountKey}/webhook`;

function requireWebChat({ network }: DeviceRow, { allowed_origins: origins = [] }: Partial<WebChatSettings>) {
  if (network !== 'web')
    throw invalidInput([{ path: 'web_chat', message: 'is only for devices of the network web' }]);
  const isOrigin = (given: string) =>
    /^https?:\/\//.test(given) && URL.canParse(given) && new URL(given).origin === given;
  requireValid(
    origins.flatMap((origin, index) =>
      isOrigin(origin)
        ? []
        : [
            {
              path: `web_chat.allowed_origins[${index}]`,
              message: 'must be an origin as browsers send it, like https://shop.example',
            },
          ],
    ),
  );
}

const disabledNetwork = (enabled: readonly string[]) => ({
  path: 'network',
  message: `must be a network that MESSAGING_NETWORK enables: ${enabled.join(', ')}`,
});

const siteKeyInUse = { path: 'web_chat.site_key', message: 'must not be the key of another device' };

const unknownBot = (owner: string) => ({ path: 'bot_id', message: `must be the id of a bot of ${owner}` });

export interface DevicePresenter {
  getDeviceToken: GetDeviceToken;
  networks: DeviceNetworks;
  /** The public address of the deployment. */
  baseUrl: string;
}

/** Roles below editor get an empty token. */
export const presentDevice = (
  { getDeviceToken, networks, baseUrl }: DevicePresenter,
  actor: Actor,
  row: DeviceRow,
): Device => ({
  id: row.id,
  team_id: row.team_id,
  bot_id: row.bot_id,
  name: row.name,
  status: row.status,
  type: 'messaging',
  connected: row.connected,
  blocked: row.blocked,
  network: networks.of(row),
  capabilities: presentCapabilities(networks.capabilitiesOf(row)),
  web_chat: networks.of(row) === 'web' ? presentWebChat(getDeviceToken, actor, row) : null,
  webhook_url: row.account_key === null ? null : webhookUrl(baseUrl, networks.of(row), row.account_key),
  phone_number: row.phone_number,
  token: seesSecrets(actor, 'updateDevice') ? getDeviceToken(row.id, row.token_generation) : '',
  pool_url: row.pool_url,
  ...(row.default_template === null ? {} : { default_template: row.default_template }),
  ...(row.missed_call_reply === null ? {} : { missed_call_reply: row.missed_call_reply }),
  last_disconnect_reason: row.last_disconnect_reason,
  last_disconnect_at: timestampOrNull(row.last_disconnect_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

const presentCapabilities = ({ content, ...rest }: NetworkCapabilities): Device['capabilities'] => ({
  content: [...content],
  ...rest,
});

/** Fills in the defaults. */
export const webChatSettings = ({ web_chat: chosen }: Pick<DeviceRow, 'web_chat'>): WebChatSettings => ({
  allowed_origins: chosen?.allowed_origins ?? [],
  title: chosen?.title ?? '',
  color: chosen?.color ?? '',
  greeting: chosen?.greeting ?? '',
  signed_visitors_only: chosen?.signed_visitors_only ?? false,
});

/** The website signs the ids of its visitors with it. */
export const visitorSecret = (
  getDeviceToken: GetDeviceToken,
  { id, token_generation: generation }: Pick<DeviceRow, 'id' | 'token_generation'>,
): string =>
  createHash('sha256')
    .update(`visitors:${getDeviceToken(id, generation)}`)
    .digest('hex');

const presentWebChat = (getDeviceToken: GetDeviceToken, actor: Actor, row: DeviceRow): WebChat => ({
  ...webChatSettings(row),
  site_key: row.site_key ?? row.id,
  visitor_secret: seesSecrets(actor, 'updateDevice') ? visitorSecret(getDeviceToken, row) : '',
});
