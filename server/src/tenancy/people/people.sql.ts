import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

/** Who may answer contacts: `person_id`, and `team_id`, which is null for the partner's staff. */
export const answeringPeople = sql`
  select m.person_id, u.team_id from memberships m join users u on u.id = m.user_id where u.role <> 'viewer'`;

/** `id` and `email` of those who can sign in. */
export const addressesOfPeople = sql`select id, email from people`;

/** Returns those of the teams that the person belongs to. The staff belongs to all. */
export async function selectTeamsOfPerson(
  tx: Transaction,
  personId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from teams t where t.id = any(${ids}::uuid[]) and exists (
      select from memberships m join users u on u.id = m.user_id
      where m.person_id = ${personId} and (u.team_id = t.id or u.team_id is null))`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function lockPerson(tx: Transaction, personId: string): Promise<void> {
  await sql`select from people where id = ${personId} for no key update`.execute(tx);
}
