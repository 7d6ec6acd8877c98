import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { logoTypes } from './brands.schemas.ts';

export interface BrandRow {
  name: string | null;
  color: string | null;
  sender_name: string | null;
  logo: Buffer | null;
  logo_type: (typeof logoTypes)[number] | null;
}

export interface StoredBrandRow extends BrandRow {
  updated_at: Date;
}

const columns = sql.raw('name, color, sender_name, logo, logo_type, updated_at');

const byTeam = prepare<{ teamId: string }, StoredBrandRow>(
  (value) => sql`select ${columns} from brands where team_id = ${value('teamId')}::uuid`,
);

export async function selectBrand(
  db: Database | Transaction,
  teamId: string,
): Promise<StoredBrandRow | undefined> {
  const [row] = await byTeam(db, { teamId });
  return row;
}

export async function upsertBrand(tx: Transaction, teamId: string, brand: BrandRow): Promise<StoredBrandRow> {
  const { rows } = await sql<StoredBrandRow>`
    insert into brands (team_id, name, color, sender_name, logo, logo_type)
    values (${teamId}, ${brand.name}, ${brand.color}, ${brand.sender_name}, ${brand.logo}, ${brand.logo_type})
    on conflict (team_id) do update
    set name = excluded.name, color = excluded.color, sender_name = excluded.sender_name, logo = excluded.logo,
        logo_type = excluded.logo_type, updated_at = now()
    returning ${columns}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the brand was not stored');
  return row;
}

export interface HostRow {
  name: string;
  team_id: string;
  created_at: Date;
}

export async function selectHosts(db: Database): Promise<Pick<HostRow, 'name' | 'team_id'>[]> {
  const { rows } = await sql<HostRow>`select name, team_id from hosts`.execute(db);
  return rows;
}

export async function selectHost(db: Database, name: string): Promise<HostRow | undefined> {
  const { rows } = await sql<HostRow>`
    select name, team_id, created_at from hosts where name = ${name}`.execute(db);
  return rows[0];
}

/** Returns undefined if the name is new and `max` others are there. Exact under race. */
export async function upsertHost(
  tx: Transaction,
  name: string,
  teamId: string,
  max: number,
): Promise<HostRow | undefined> {
  await sql`lock table hosts in share row exclusive mode`.execute(tx);
  const { rows } = await sql<HostRow>`
    insert into hosts (name, team_id) select ${name}, ${teamId}::uuid
    where (select count(*) from hosts) < ${max} or exists (select from hosts where name = ${name})
    on conflict (name) do update set team_id = excluded.team_id
    returning name, team_id, created_at`.execute(tx);
  return rows[0];
}

export async function deleteHostRow(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await sql`delete from hosts where name = ${name} returning name`.execute(tx);
  return rows.length === 1;
}
