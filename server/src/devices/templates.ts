import type { Database, Transaction } from '../platform/database/database.ts';
import type { Actor } from '../platform/http/actor.ts';
import { badRequest, invalidInput, notFound, operationFailed } from '../platform/http/errors.ts';
import { timestamp } from '../platform/http/fields.ts';
import type { Encryption } from '../platform/shared/encryption.ts';
import { isUuid } from '../platform/shared/ids.ts';
import {
  credentialsEntry,
  parseCredentials,
  type StoredCredentials,
} from '../ports/messaging-network/credentials.ts';
import type { DeviceNetworks } from '../ports/messaging-network/device-networks.ts';
import { type NetworkTemplate, NotOwner } from '../ports/messaging-network/messaging-network.ts';
import { countVariables, type TemplateService } from '../ports/messaging-network/network-templates.ts';
import { networksWithWindow } from '../ports/messaging-network/supported-content.ts';
import { sealedSessions } from './device-sessions.sql.ts';
import type { DeviceRow } from './devices.queries.ts';
import type { ReadDevice } from './devices.ts';
import { lockIfOwned, type Ownership } from './session-state.sql.ts';
import {
  deleteOtherTemplates,
  deleteTemplateRow,
  selectSealedCredentials,
  selectTemplate,
  selectTemplateByName,
  selectTemplates,
  type TemplateRow,
  upsertTemplates,
} from './templates.queries.ts';
import type { CreateTemplate, DeviceTemplate, ListTemplates } from './templates.schemas.ts';

export interface TemplateDeps {
  db: Database;
  encryption: Pick<Encryption, 'open'>;
  networks: DeviceNetworks;
  readDevice: ReadDevice;
  templates: TemplateService;
}

/** Throws `device_not_found` (404). */
export async function listTemplates(
  db: Database,
  readDevice: ReadDevice,
  actor: Actor,
  deviceId: string,
  query: ListTemplates,
): Promise<{ templates: DeviceTemplate[]; total: number }> {
  await readDevice(actor, deviceId);
  const { rows, total } = await selectTemplates(db, actor.scope, deviceId, query);
  return { templates: rows.map(presentTemplate), total };
}

/** Asks the network to review a template. A repeated call returns the same template. */
export async function createTemplate(
  deps: TemplateDeps,
  actor: Actor,
  deviceId: string,
  { examples = [], ...given }: CreateTemplate,
): Promise<DeviceTemplate> {
  const device = await deps.readDevice(actor, deviceId);
  const wanted = countVariables(given.body);
  if (examples.length !== wanted)
    throw invalidInput([{ path: 'examples', message: `must have ${wanted} items, one for each variable` }]);
  const credentials = await openCredentials(deps, device);
  const created = await reachNetwork(() => deps.templates.create(credentials, { ...given, examples }));
  if ('refused' in created)
    throw badRequest('template_refused', `The network refused the template: ${created.refused}`);
  const owner = { deviceId, teamId: device.team_id };
  await deps.db.transaction().execute((tx) => upsertTemplates(tx, owner, [created.template]));
  const row = await selectTemplateByName(deps.db, actor.scope, { deviceId, ...given });
  // The device was deleted meanwhile.
  if (row === undefined) throw notFound('device');
  return presentTemplate(row);
}

/** Throws `template_not_found` (404). */
export async function deleteTemplate(
  deps: TemplateDeps,
  actor: Actor,
  ids: { deviceId: string; templateId: string },
): Promise<void> {
  const device = await deps.readDevice(actor, ids.deviceId);
  const row = isUuid(ids.templateId) ? await selectTemplate(deps.db, actor.scope, ids) : undefined;
  if (row === undefined) throw notFound('template');
  const credentials = await openCredentials(deps, device);
  await reachNetwork(() =>
    deps.templates.remove(credentials, { name: row.name, externalId: row.external_id }),
  );
  await deps.db.transaction().execute((tx) => deleteTemplateRow(tx, row));
}

async function openCredentials(
  { db, encryption, networks }: TemplateDeps,
  device: DeviceRow,
): Promise<StoredCredentials> {
  const network = networks.of(device);
  if (!networksWithWindow.includes(network))
    throw badRequest('templates_unsupported', `The network ${network} of the device has no templates`);
  const place = { deviceId: device.id, network, entry: credentialsEntry };
  const sealed = await selectSealedCredentials(db, place);
  if (sealed === undefined)
    throw badRequest(
      'credentials_missing',
      'The device has no credentials; store them with PUT /devices/{id}/credentials',
    );
  return parseCredentials(
    encryption.open(sealed, sealedSessions.context(device.id, network, credentialsEntry)),
  );
}

async function reachNetwork<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw operationFailed('network_unavailable', 'The network did not take the request; retry later', error);
  }
}

/** Stores all templates that the network has. Throws `NotOwner`. */
export const recordTemplates = (
  db: Database,
  owner: Ownership,
  templates: readonly NetworkTemplate[],
): Promise<void> =>
  db.transaction().execute(async (tx: Transaction) => {
    if (!(await lockIfOwned(tx, owner))) throw new NotOwner(owner.deviceId);
    await upsertTemplates(tx, owner, templates);
    await deleteOtherTemplates(tx, owner.deviceId, templates);
  });

const presentTemplate = ({
  external_id: _,
  created_at,
  updated_at,
  ...row
}: TemplateRow): DeviceTemplate => ({
  ...row,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});
