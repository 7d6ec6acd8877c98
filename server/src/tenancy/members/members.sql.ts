import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

/** The user as JSON, `user_id` and `name`, or null. */
export const userOf = (userId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('user_id', u.id, 'name', u.name) from users u where u.id = ${userId})`;

/** The person as visitors of a website see them, as JSON, or null. */
export const personOf = (userId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('id', u.id, 'name', u.name, 'has_picture', u.picture is not null) from users u
  where u.id = ${userId})`;

export interface Picture {
  bytes: Buffer;
  mimeType: string;
}

export const pictureOf = (userId: RawBuilder<unknown>) => sql`
  select u.picture as bytes, u.picture_type as "mimeType" from users u
  where u.id = ${userId} and u.picture is not null`;

export interface ShownPerson {
  id: string;
  name: string;
  has_picture: boolean;
}

/** The name of a user whose id is given as text, if the user exists. */
export const nameOfUser = (userId: RawBuilder<unknown>) => sql`
  select name from users where id = (${userId})::uuid`;

/** Members of the team who may work in its conversations. */
const worksFor = (teamId: string | RawBuilder<unknown>) =>
  sql`(u.team_id = (${teamId})::uuid and u.role <> 'viewer')`;

/** With `orStaff`, the partner's staff does, too. */
export async function worksForTeam(
  db: Database | Transaction,
  teamId: string,
  userId: string,
  { orStaff }: { orStaff: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    select from users u where u.id = ${userId}::uuid and (${worksFor(teamId)} or ${orStaff} and u.team_id is null)`.execute(
    db,
  );
  return rows.length === 1;
}

/** Members of the team with a request in the last 10 minutes. */
export const presentMembers = (teamId: string | RawBuilder<unknown>) => sql`
  select u.id from users u
  where ${worksFor(teamId)} and exists (
    select from memberships m join people p on p.id = m.person_id
    where m.user_id = u.id and p.last_seen_at > now() - interval '10 minutes')`;
