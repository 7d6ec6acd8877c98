import { sql } from 'kysely';
import { joinDevice } from '../../devices/devices.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';

export interface ConsentRow {
  contact: string;
  state: 'in' | 'out' | 'unknown';
  source: 'contact' | 'api' | 'console' | 'import';
  proof: string | null;
  decided_at: Date;
}

/** Returns the decision of each team under any of the forms, newest first. An opt-out comes before all others. */
export async function selectConsents(
  db: Database | Transaction,
  scope: Scope,
  forms: readonly string[],
): Promise<(ConsentRow & { team_id: string })[]> {
  const { rows } = await sql<ConsentRow & { team_id: string }>`
    select * from (
      select distinct on (team_id) team_id, contact, state, source, proof, decided_at from consents
      where contact = any(${forms}::text[]) and ${inScope(scope, 'team_id')} and kind = 'active_messages'
      order by team_id, state = 'out' desc, source = 'contact' desc, decided_at desc
    ) of_teams order by decided_at desc, team_id`.execute(db);
  return rows;
}

export async function selectConsent(
  db: Database | Transaction,
  teamId: string,
  forms: readonly string[],
): Promise<ConsentRow | undefined> {
  const [row] = await selectConsents(db, { kind: 'team', teamId }, forms);
  return row;
}

/** Whose decision a message is. `forms` are the contact's numbers and ids on all devices of the team, as far as they share an address. */
export interface DecidingChat {
  team_id: string;
  forms: string[];
}

export async function selectDecidingChat(
  tx: Transaction,
  deviceId: string,
  contact: string,
): Promise<DecidingChat | undefined> {
  const { rows } = await sql<DecidingChat>`
    select d.team_id, array(
      with own as materialized (
        select address from contact_addresses where device_id = d.id and contact_number = ${contact}
      )
      select ${contact}::text
      union select address from own where address like '+%'
      union select contact_number from contact_addresses where team_id = d.team_id and address in (select address from own)
    ) as forms
    from (select ${deviceId}::uuid as id) device ${joinDevice('device.id')}`.execute(tx);
  return rows[0];
}

/**
 * Stores one decision under all forms, except where it would undo an opt-out of the contact. Returns the forms that it changed.
 */
export async function upsertConsents(
  tx: Transaction,
  decision: {
    teamId: string;
    forms: readonly string[];
    state: ConsentRow['state'];
    source: ConsentRow['source'];
    proof: string | null;
    decidedAt: Date | null;
  },
): Promise<string[]> {
  const { teamId, forms, state, source, proof, decidedAt } = decision;
  const { rows } = await sql<{ contact: string }>`
    insert into consents as c (team_id, contact, kind, state, source, proof, decided_at)
    select ${teamId}::uuid, form, 'active_messages', ${state}, ${source}, ${proof}, coalesce(${decidedAt}::timestamptz, now())
    from unnest(${[...forms].toSorted()}::text[]) as form
    on conflict (team_id, contact, kind) do update
      set state = excluded.state, source = excluded.source, proof = excluded.proof, decided_at = excluded.decided_at
      where ${source === 'contact'} or c.state <> 'out' or c.source <> 'contact'
    returning contact`.execute(tx);
  return rows.map(({ contact }) => contact);
}
