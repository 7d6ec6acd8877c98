import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { textSetting } from '../teams/teams.sql.ts';

export type MailKind = 'invitation' | 'code' | 'recovery' | 'alert' | 'device_link';

export interface NewMail {
  id: string;
  kind: MailKind;
  email: string;
  userId: string | null;
  teamId: string | null;
  language: string | null;
  secretSealed: Buffer;
  expiresAt: Date;
}

/** An invitation replaces the waiting one of the user. */
export async function insertMail(tx: Transaction, mail: NewMail): Promise<void> {
  if (mail.userId !== null) await sql`delete from mails where user_id = ${mail.userId}`.execute(tx);
  await sql`
    insert into mails (id, kind, email, user_id, team_id, language, secret_sealed, expires_at)
    values (${mail.id}, ${mail.kind}, ${mail.email}, ${mail.userId}::uuid, ${mail.teamId}::uuid, ${mail.language}, ${mail.secretSealed},
            ${mail.expiresAt})`.execute(tx);
}

export interface WaitingMail {
  kind: MailKind;
  email: string;
  language: string;
  secret_sealed: Buffer;
  /** The recipient, empty if it need not be a user. Null if nobody with the address can sign in, or the invitation has ended. */
  name: string | null;
  team_id: string | null;
  team_name: string | null;
  expires_at: Date;
}

/** Users who can sign in with a proof of their address. Needs `users u`. */
export const signsIn = sql`
  (exists (select from memberships s where s.user_id = u.id) or exists (
    select from sign_in_links l where l.user_id = u.id and l.kind = 'invitation' and l.expires_at > now()))`;

/** Returns nothing for a mail that was sent or has expired. */
export async function selectMail(db: Database, id: string): Promise<WaitingMail | undefined> {
  const { rows } = await sql<WaitingMail>`
    select m.kind, m.email, m.secret_sealed, m.expires_at, t.id as team_id, t.name as team_name,
           case when m.kind = 'device_link' then '' else r.name end as name,
           coalesce(m.language, ${textSetting('locale')}) as language
    from mails m left join lateral (
      select u.name, u.team_id from users u
      where (u.id = m.user_id or m.user_id is null and lower(u.email) = m.email) and ${signsIn}
        and (m.user_id is null or not exists (select from memberships s where s.user_id = u.id))
      order by u.team_id is not null, u.created_at, u.id limit 1
    ) r on true left join teams t on t.id = case when m.kind = 'device_link' then m.team_id else r.team_id end
    where m.id = ${id} and m.expires_at > now()`.execute(db);
  return rows[0];
}

export async function deleteMail(db: Database, id: string): Promise<void> {
  await sql`delete from mails where id = ${id}`.execute(db);
}

/** Returns false if the subject had its mails of the last hour. Exact under race. */
export async function countMail(tx: Transaction, subject: string, most: number): Promise<boolean> {
  const recent = sql`select t from unnest(r.sent_at) t where t > now() - interval '1 hour'`;
  const { rows } = await sql`
    insert into mail_rates as r (subject, sent_at) values (${subject}, array[now()])
    on conflict (subject) do update set sent_at = array(${recent}) || excluded.sent_at
    where (select count(*) from (${recent}) recent) < ${most}::int
    returning subject`.execute(tx);
  return rows.length === 1;
}

/** Mails and proofs that nobody can use any more, and counts of mails that no limit needs. */
export async function deleteExpiredMails(db: Database): Promise<void> {
  await sql`delete from mails where expires_at < now()`.execute(db);
  await sql`delete from address_proofs where expires_at < now()`.execute(db);
  await sql`delete from mail_rates r where now() - interval '1 hour' > all (r.sent_at)`.execute(db);
}
