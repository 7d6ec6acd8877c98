import type { Database } from '../../platform/database/database.ts';
import { badRequest, invalidInput, notFound } from '../../platform/http/errors.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import { lockPerson, selectTeamsOfPerson } from '../../tenancy/people/people.sql.ts';
import {
  countSubscriptions,
  deleteSubscription,
  selectSettings,
  upsertSettings,
  upsertSubscription,
} from './alerts.queries.ts';
import type { AddPushSubscription, AlertSettings, PutAlertSettings } from './alerts.schemas.ts';
import { hashEndpoint, openPushKeys, subscriptionContext } from './push.ts';

interface Dependencies {
  db: Database;
  encryption: Pick<Encryption, 'open' | 'seal'>;
  mailPossible: boolean;
}

const defaults = { mail_after_minutes: 5, push: true, devices: true, team_ids: null };
const maxSubscriptions = 10;

export async function readSettings(
  { db, encryption, mailPossible }: Dependencies,
  personId: string,
): Promise<AlertSettings> {
  const [row, count, keys] = await Promise.all([
    selectSettings(db, personId),
    countSubscriptions(db, personId),
    openPushKeys(db, encryption),
  ]);
  const { quiet_from: from = '', quiet_until: until = '', timezone = '', language: _, ...known } = row ?? {};
  return {
    ...defaults,
    ...known,
    quiet_hours: from === until ? null : { from, until, timezone },
    mail_possible: mailPossible,
    push_key: keys.publicKey,
    push_devices: count,
  };
}

/** Throws `validation` for an unknown time zone, and for a team that the person does not belong to. */
export async function putSettings(
  deps: Dependencies,
  personId: string,
  { quiet_hours: quiet, ...wishes }: PutAlertSettings,
): Promise<AlertSettings> {
  const { from, until, timezone } = quiet ?? { from: '00:00', until: '00:00', timezone: 'UTC' };
  if (!isTimezone(timezone))
    throw invalidInput([
      { path: 'quiet_hours.timezone', message: 'must be a time zone such as Europe/Berlin' },
    ]);
  await deps.db.transaction().execute(async (tx) => {
    const { team_ids: asked } = wishes;
    const own = asked === null ? [] : await selectTeamsOfPerson(tx, personId, asked);
    const foreign = (asked ?? []).findIndex((id) => !own.includes(id.toLowerCase()));
    if (foreign >= 0)
      throw invalidInput([{ path: `team_ids[${foreign}]`, message: 'must be a team of yours' }]);
    await upsertSettings(tx, personId, { ...wishes, quiet_from: from, quiet_until: until, timezone });
  });
  return readSettings(deps, personId);
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** Throws `too_many_browsers`. */
export async function addSubscription(
  { db, encryption }: Dependencies,
  personId: string,
  subscription: AddPushSubscription,
): Promise<{ id: string }> {
  const id = newId();
  const endpointHash = hashEndpoint(subscription.endpoint);
  const sealed = encryption.seal(Buffer.from(JSON.stringify(subscription)), subscriptionContext(id));
  await db.transaction().execute(async (tx) => {
    await lockPerson(tx, personId);
    await upsertSubscription(tx, { id, personId, endpointHash, sealed });
    if ((await countSubscriptions(tx, personId)) > maxSubscriptions)
      throw badRequest('too_many_browsers', `Alerts can be shown in at most ${maxSubscriptions} browsers`);
  });
  return { id };
}

/** Throws `push_device_not_found` (404). */
export async function removeSubscription(db: Database, personId: string, id: string): Promise<void> {
  if (!(await deleteSubscription(db, id, personId))) throw notFound('push_device');
}
