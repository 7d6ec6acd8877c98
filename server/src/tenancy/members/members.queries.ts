import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { type Page, pageRange } from '../../platform/http/pagination.ts';
import type { Logo } from '../brands/logo.ts';
import type { Role } from '../roles/roles.ts';
import type { CreateMember, UpdateMember } from './members.schemas.ts';

export interface MemberRow {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  role: Role;
  created_at: Date;
  is_active: boolean;
  last_seen_at: Date | null;
  has_picture: boolean;
}

/** The team whose members a statement concerns. Null: the partner's staff. */
export type MembersOf = string | null;

const columns = sql`
  u.id, u.name, u.email, u.phone, u.role, u.created_at, u.picture is not null as has_picture,
  exists (select from memberships m where m.user_id = u.id) as is_active,
  (select p.last_seen_at from memberships m join people p on p.id = m.person_id where m.user_id = u.id) as last_seen_at`;
const isIn = (team: MembersOf) => (team === null ? sql`u.team_id is null` : sql`u.team_id = ${team}::uuid`);

export function selectMembers(db: Database, team: MembersOf, page: Page): Promise<ListPage<MemberRow>> {
  const list = { columns, from: sql`users u where ${isIn(team)}`, order: sql`u.created_at desc, u.id desc` };
  return selectPage(db, list, pageRange(page));
}

export async function insertMember(
  tx: Transaction,
  team: MembersOf,
  id: string,
  { name, email, phone, role }: CreateMember,
): Promise<MemberRow> {
  const { rows } = await sql<MemberRow>`
    insert into users as u (id, team_id, name, email, phone, role)
    values (${id}, ${team}, ${name}, ${email}, ${phone ?? null}, ${role}) returning ${columns}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the insert returned no row');
  return row;
}

/** Locks the owners and the member, in a fixed order, so that of two owners who remove each other one remains. */
export async function lockMember(
  tx: Transaction,
  team: MembersOf,
  id: string,
): Promise<{ member: MemberRow | undefined; owners: number }> {
  const { rows } = await sql<MemberRow>`
    select ${columns} from users u where ${isIn(team)} and (u.role = 'owner' or u.id = ${id}) order by u.id for update`.execute(
    tx,
  );
  return {
    member: rows.find((row) => row.id === id),
    owners: rows.filter(({ role }) => role === 'owner').length,
  };
}

export async function updateMemberRow(
  tx: Transaction,
  id: string,
  { name, phone, role, picture }: Omit<UpdateMember, 'picture'> & { picture?: Logo | null | undefined },
): Promise<MemberRow | undefined> {
  const { rows } = await sql<MemberRow>`
    update users u
    set name = coalesce(${name ?? null}::text, name), role = coalesce(${role ?? null}::text, role),
        phone = case when ${phone === undefined} then phone else ${phone ?? null}::text end,
        picture = case when ${picture === undefined} then picture else ${picture?.bytes ?? null}::bytea end,
        picture_type = case when ${picture === undefined} then picture_type else ${picture?.type ?? null}::text end
    where id = ${id} returning ${columns}`.execute(tx);
  return rows[0];
}

export async function deleteMemberRow(tx: Transaction, id: string): Promise<void> {
  await sql`delete from users where id = ${id}`.execute(tx);
}
