import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import { isWithin, type ListPage, selectPage } from '../platform/database/list-pages.ts';
import { inScope, type Scope } from '../platform/database/scopes.ts';
import { pageRange } from '../platform/http/pagination.ts';
import { newId } from '../platform/shared/ids.ts';
import type { NetworkTemplate } from '../ports/messaging-network/messaging-network.ts';
import type { DeviceTemplate, ListTemplates } from './templates.schemas.ts';

export interface TemplateRow extends Omit<DeviceTemplate, 'created_at' | 'updated_at'> {
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
}

const columns = sql`
  t.id, t.team_id, t.device_id, t.name, t.language, t.category, t.state, t.reason, t.body, t.variables, t.external_id,
  t.created_at, t.updated_at`;

export function selectTemplates(
  db: Database,
  scope: Scope,
  deviceId: string,
  query: ListTemplates,
): Promise<ListPage<TemplateRow>> {
  const from = sql`
    message_templates t where t.device_id = ${deviceId} and ${sql.join([inScope(scope, 't.team_id'), ...isWithin('t.created_at', query)], sql` and `)}
    and ${query.state === undefined ? sql`true` : sql`t.state = ${query.state}`}`;
  const order = sql`t.created_at desc, t.id desc`;
  return selectPage(
    db,
    { columns, from, order, cursorColumns: { time: 't.created_at', id: 't.id' } },
    pageRange(query),
  );
}

export async function selectTemplate(
  db: Database,
  scope: Scope,
  { deviceId, templateId }: { deviceId: string; templateId: string },
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    select ${columns} from message_templates t
    where t.id = ${templateId} and t.device_id = ${deviceId} and ${inScope(scope, 't.team_id')}`.execute(db);
  return rows[0];
}

export async function selectTemplateByName(
  db: Database,
  scope: Scope,
  { deviceId, name, language }: { deviceId: string; name: string; language: string },
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    select ${columns} from message_templates t
    where t.device_id = ${deviceId} and t.name = ${name} and t.language = ${language} and ${inScope(scope, 't.team_id')}`.execute(
    db,
  );
  return rows[0];
}

/** Stores what the network says about templates. Watched by record_template_event. */
export async function upsertTemplates(
  tx: Transaction,
  { deviceId, teamId }: { deviceId: string; teamId: string },
  templates: readonly NetworkTemplate[],
): Promise<void> {
  await sql`
    insert into message_templates as t
      (id, team_id, device_id, name, language, category, state, reason, body, variables, external_id)
    select given.id, ${teamId}::uuid, ${deviceId}::uuid, given.name, given.language, given.category, given.state, given.reason,
           given.body, given.variables, given.external_id
    from jsonb_to_recordset(${JSON.stringify(templates.map(toRecord))}::jsonb)
         as given (id uuid, name text, language text, category text, state text, reason text, body text, variables int, external_id text)
    order by given.name, given.language
    on conflict (device_id, name, language) do update
      set category = excluded.category, state = excluded.state, reason = excluded.reason, body = excluded.body,
          variables = excluded.variables, external_id = excluded.external_id, updated_at = now()
      where (t.category, t.state, t.reason, t.body, t.variables, t.external_id)
        is distinct from (excluded.category, excluded.state, excluded.reason, excluded.body, excluded.variables, excluded.external_id)`.execute(
    tx,
  );
}

const toRecord = ({ externalId, ...template }: NetworkTemplate) => ({
  ...template,
  id: newId(),
  external_id: externalId,
});

/** Deletes the templates that the network no longer has. */
export async function deleteOtherTemplates(
  tx: Transaction,
  deviceId: string,
  kept: readonly Pick<NetworkTemplate, 'name' | 'language'>[],
): Promise<void> {
  await sql`
    delete from message_templates where device_id = ${deviceId} and (name, language) not in (
      select name, language from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as kept (name text, language text))`.execute(
    tx,
  );
}

/** A device does not use a deleted template as its default. */
export async function deleteTemplateRow(tx: Transaction, row: TemplateRow): Promise<void> {
  await sql`delete from message_templates where id = ${row.id}`.execute(tx);
  await sql`
    update devices set default_template = null
    where id = ${row.device_id} and default_template ->> 'name' = ${row.name}
      and default_template ->> 'language' = ${row.language}`.execute(tx);
}

/** True for an approved template with one variable. */
export async function isTemplateForText(
  tx: Transaction,
  deviceId: string,
  { name, language }: { name: string; language: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from message_templates
    where device_id = ${deviceId} and name = ${name} and language = ${language} and state = 'approved' and variables = 1`.execute(
    tx,
  );
  return rows.length === 1;
}

/** The sealed entry with the credentials of a device, undefined without one. */
export async function selectSealedCredentials(
  db: Database,
  { deviceId, network, entry }: { deviceId: string; network: string; entry: string },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ sealed: Buffer }>`
    select value_sealed as sealed from device_sessions
    where device_id = ${deviceId} and kind = ${network} and entry_id = ${entry}`.execute(db);
  return rows[0]?.sealed;
}
