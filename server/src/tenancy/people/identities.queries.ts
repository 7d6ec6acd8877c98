import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

interface Identity {
  issuer: string;
  subject: string;
}

/** The person whom the provider named so before, if the person still has a membership. */
export async function selectIdentity(
  tx: Transaction,
  { issuer, subject }: Identity,
): Promise<{ person_id: string; email: string } | undefined> {
  const { rows } = await sql<{ person_id: string; email: string }>`
    select person_id, p.email from person_identities join people p on p.id = person_id
    where issuer = ${issuer} and subject = ${subject}
      and exists (select from memberships m where m.person_id = p.id)`.execute(tx);
  return rows[0];
}

export async function saveIdentity(
  tx: Transaction,
  { issuer, subject }: Identity,
  personId: string,
): Promise<void> {
  await sql`
    insert into person_identities (issuer, subject, person_id) values (${issuer}, ${subject}, ${personId})
    on conflict (issuer, subject) do update set person_id = excluded.person_id`.execute(tx);
}
