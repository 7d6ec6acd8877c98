import { sql } from 'kysely';
import { troubledDevices } from '../../devices/devices.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { addressesOfPeople, answeringPeople } from '../../tenancy/people/people.sql.ts';
import { joinTeam, textSetting } from '../../tenancy/teams/teams.sql.ts';
import { flaggedConversations } from '../conversations/conversations.sql.ts';

export interface AlertSettingsRow {
  mail_after_minutes: number | null;
  push: boolean;
  devices: boolean;
  quiet_from: string;
  quiet_until: string;
  timezone: string;
  language: string;
  team_ids: string[] | null;
}

export async function selectSettings(db: Database, personId: string): Promise<AlertSettingsRow | undefined> {
  const { rows } = await sql<AlertSettingsRow>`
    select mail_after_minutes, push, devices, to_char(quiet_from, 'HH24:MI') as quiet_from,
           to_char(quiet_until, 'HH24:MI') as quiet_until, timezone, language, team_ids
    from alert_settings where person_id = ${personId}`.execute(db);
  return rows[0];
}

export async function upsertSettings(
  tx: Transaction,
  personId: string,
  row: AlertSettingsRow,
): Promise<void> {
  await sql`
    insert into alert_settings (person_id, mail_after_minutes, push, devices, quiet_from, quiet_until, timezone, language, team_ids)
    values (${personId}, ${row.mail_after_minutes}::smallint, ${row.push}, ${row.devices}, ${row.quiet_from}::time,
            ${row.quiet_until}::time, ${row.timezone}, ${row.language}, ${row.team_ids}::uuid[])
    on conflict (person_id) do update set mail_after_minutes = excluded.mail_after_minutes, push = excluded.push,
      devices = excluded.devices, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until,
      timezone = excluded.timezone, language = excluded.language, team_ids = excluded.team_ids`.execute(tx);
}

export async function countSubscriptions(db: Database | Transaction, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from push_subscriptions where person_id = ${personId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A browser belongs to the person who added it last. */
export async function upsertSubscription(
  tx: Transaction,
  row: { id: string; personId: string; endpointHash: Buffer; sealed: Buffer },
): Promise<void> {
  await sql`delete from push_subscriptions where endpoint_hash = ${row.endpointHash}`.execute(tx);
  await sql`
    insert into push_subscriptions (id, person_id, endpoint_hash, subscription_sealed)
    values (${row.id}, ${row.personId}, ${row.endpointHash}, ${row.sealed})`.execute(tx);
}

export async function deleteSubscription(db: Database, id: string, personId?: string): Promise<boolean> {
  const { rows } = await sql`
    delete from push_subscriptions where id = ${id} and (person_id = ${personId ?? null} or ${personId === undefined})
    returning id`.execute(db);
  return rows.length === 1;
}

export async function selectSubscription(db: Database, id: string): Promise<{ sealed: Buffer } | undefined> {
  const { rows } = await sql<{ sealed: Buffer }>`
    select subscription_sealed as sealed from push_subscriptions where id = ${id}`.execute(db);
  return rows[0];
}

export async function selectPushKeys(
  db: Database,
): Promise<{ public_key: string; private_key_sealed: Buffer } | undefined> {
  const { rows } = await sql<{ public_key: string; private_key_sealed: Buffer }>`
    select public_key, private_key_sealed from push_keys`.execute(db);
  return rows[0];
}

/** Keeps the pair of another process. */
export async function insertPushKeys(db: Database, publicKey: string, sealed: Buffer): Promise<void> {
  await sql`
    insert into push_keys (public_key, private_key_sealed) values (${publicKey}, ${sealed}) on conflict do nothing`.execute(
    db,
  );
}

/** Older troubles were known before, or nobody minds them. */
const maxAge = sql`interval '1 day'`;

/** Who hears of what: `person_id`, `kind`, `object_id`, `team_id`, `since`. */
const wanted = sql`
  select distinct on (u.person_id, w.kind, w.id) u.person_id, w.kind, w.id::uuid as object_id, w.team_id, w.since
  from (
    select 'conversation' as kind, c.id, c.team_id, c.since from (${flaggedConversations({ kind: 'all' })}) c
    where c.kind in ('human_requested', 'unanswered', 'payment_captured')
    union all
    select 'device', d.id, d.team_id, d.since from (${troubledDevices({ kind: 'all' })}) d where d.reason <> 'not_linked'
  ) w
  join (${answeringPeople}) u on u.team_id = w.team_id or u.team_id is null
  left join alert_settings s on s.person_id = u.person_id
  where w.since > now() - ${maxAge}
    and (w.team_id = any(s.team_ids) or (s.team_ids is null and u.team_id is not null))
    and (w.kind = 'conversation' or coalesce(s.devices, true))
  order by u.person_id, w.kind, w.id, w.since desc`;

/** Brings the table up to what waits now. What waits anew is untold. */
export async function refreshAlerts(tx: Transaction): Promise<void> {
  await sql`
    with wanted as materialized (${wanted}), ended as (
      delete from alerts a where not exists (
        select from wanted w where (w.person_id, w.kind, w.object_id) = (a.person_id, a.kind, a.object_id))
    )
    insert into alerts as a (person_id, kind, object_id, team_id, since) select * from wanted
    on conflict (person_id, kind, object_id) do update set since = excluded.since, pushed_at = null, mailed_at = null
    where a.since < excluded.since`.execute(tx);
}

/** Needs `alerts a` and `alert_settings s`. */
const isQuiet = sql`
  coalesce(case when s.quiet_from <= s.quiet_until
    then (now() at time zone s.timezone)::time >= s.quiet_from and (now() at time zone s.timezone)::time < s.quiet_until
    else (now() at time zone s.timezone)::time >= s.quiet_from or (now() at time zone s.timezone)::time < s.quiet_until
  end, false)`;

export interface Told {
  person_id: string;
  email: string;
  language: string;
  /** Of all that waits for the person. */
  conversations: number;
  devices: number;
  /** If it is one conversation. */
  conversation_id: string | null;
  /** If all is in one team. */
  team_id: string | null;
  team_name: string | null;
}

const summary = sql`
  select p.id as person_id, p.email, coalesce(s.language, min(${textSetting('locale')})) as language, count(*) filter (where a.kind = 'conversation')::int as conversations,
         count(*) filter (where a.kind = 'device')::int as devices,
         case when count(*) = 1 then min(a.object_id::text) filter (where a.kind = 'conversation') end as conversation_id,
         case when count(distinct a.team_id) = 1 then min(a.team_id::text) end as team_id,
         case when count(distinct a.team_id) = 1 then min(t.name) end as team_name
  from told join (${addressesOfPeople}) p on p.id = told.person_id join alerts a on a.person_id = p.id ${joinTeam('a.team_id')} left join alert_settings s on s.person_id = p.id
  group by p.id, p.email, s.language`;

/** Marks what browsers have to show now, and returns whom to tell. */
export async function takePushes(tx: Transaction): Promise<(Told & { subscriptions: string[] })[]> {
  const { rows } = await sql<Told & { subscriptions: string[] }>`
    with marked as (
      update alerts a set pushed_at = now() from (${addressesOfPeople}) o left join alert_settings s on s.person_id = o.id
      where o.id = a.person_id and a.pushed_at is null and coalesce(s.push, true) and not ${isQuiet}
        and exists (select from push_subscriptions p where p.person_id = a.person_id) returning a.person_id
    ), told as (select distinct person_id from marked), summary as (${summary})
    select summary.*, array(select id::text from push_subscriptions b where b.person_id = summary.person_id) as subscriptions
    from summary`.execute(tx);
  return rows;
}

/** A person hears by mail at most that often. */
const between = sql`interval '15 minutes'`;
const defaultMailMinutes = 5;

/** Marks what a mail has to tell now, and returns whom. */
export async function takeMails(tx: Transaction): Promise<Told[]> {
  const { rows } = await sql<Told>`
    with due as (
      select distinct a.person_id from alerts a left join alert_settings s on s.person_id = a.person_id
      where a.mailed_at is null and not ${isQuiet}
        and a.since < now() - make_interval(mins => case when s.person_id is null then ${defaultMailMinutes} else s.mail_after_minutes end)
        and not exists (select from alerts b where b.person_id = a.person_id and b.mailed_at > now() - ${between})
    ), marked as (
      update alerts a set mailed_at = now() from due where a.person_id = due.person_id and a.mailed_at is null returning a.person_id
    ), told as (select distinct person_id from marked), summary as (${summary})
    select * from summary`.execute(tx);
  return rows;
}

/** Returns false while another worker tells. Until the transaction ends. */
export async function tryLockTelling(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('parley alerts', 0)) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}
