import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { defaultSettings } from '../../server/src/tenancy/teams/teams.schemas.ts';

const filledTables = ['conversations', 'messages', 'events', 'audit_log'] as const;

/** Part of the messages is older than the retention, so that a purge has work. */
export const filledDays = defaultSettings.retention_days + 15;

/** Numbers of rows for a number of messages. */
const sizesOf = (messages: number) => ({
  messages,
  teams: Math.ceil(messages / 10_000),
  devices: Math.ceil(messages / 6_667),
  chats: Math.ceil(messages / 12),
  /** Contacts that write again and again: a fifth of the messages in one chat of 200. */
  regulars: Math.ceil(messages / 2_400),
});

/**
 * Fills a migrated, empty database with short messages, their conversations and events, and audit rows of a twentieth of the
 * messages. Half of the messages are inbound. The first devices have most of the chats. A chat has about 10 messages among
 * those of 500 other chats; some have hundreds. Reports each step.
 */
export async function fillDatabase(
  databaseUrl: string,
  messages: number,
  report: (step: string) => void,
): Promise<void> {
  const writer = new pg.Client({ connectionString: databaseUrl });
  const reader = new pg.Client({ connectionString: databaseUrl });
  await writer.connect();
  await reader.connect();
  try {
    await writer.query(`set maintenance_work_mem = '1GB'`);
    await createRows(writer, sizesOf(messages));
    // Without triggers, and without the foreign keys to rows that a real deployment may have deleted.
    await writer.query('set session_replication_role = replica');
    const indexes = await dropIndexes(writer);
    for (const table of filledTables) {
      await copyRows(reader, writer, table);
      report(`copied ${table}`);
    }
    for (const { indexdef } of indexes) await writer.query(indexdef);
    report(`created ${indexes.length} indexes`);
    await writer.query(`
      update event_log set (fanned_xid, fanned_seq) = (select xid, seq from events order by xid desc, seq desc limit 1)`);
    await writer.query('drop schema filling cascade');
    await writer.query('vacuum (analyze)');
    report('vacuumed');
  } finally {
    await reader.end();
    await writer.end();
  }
}

/** Inserts teams, bots and devices, and creates a view of the rows of each filled table. All values follow from row numbers. */
async function createRows(client: pg.Client, sizes: ReturnType<typeof sizesOf>): Promise<void> {
  const { messages, teams, devices, chats, regulars } = sizes;
  const start = `now() - interval '${filledDays} days'`;
  await client.query(`
    create schema filling;
    create function filling.id(kind text, n bigint) returns uuid language sql immutable as $$ select md5(kind || n)::uuid $$;
    create function filling.share(n bigint, seed bigint) returns float8 language sql immutable as $$
      select (hashint8extended(n, seed) & 1048575)::float8 / 1048576 $$;
    create table filling.start as select ${start} as at;
    insert into teams (id, name, plan_name, paying, created_at)
      select filling.id('team', n), 'Harbour bicycles ' || n, 'enterprise', true, ${start} from generate_series(0, ${teams - 1}) n;
    insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                      chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests, capture_payments,
                      break_lines, questions, ai_provider_id, vector_id)
      select filling.id('bot', n), filling.id('team', n), 'live', 'Desk', 'assistant', '', '', '', 0.7, 1, false, false, false,
             false, false, '[]', 'assistant', 'store' from generate_series(0, ${teams - 1}) n;
    insert into pools (id, url, capacity, lease_until, draining)
      values (filling.id('pool', 1), 'http://127.0.0.1:4000', 1000000, now() + interval '1 day', true);
    insert into devices (id, team_id, bot_id, name, phone_number, pool_id, pool_url)
      select filling.id('device', n), filling.id('team', n * ${teams} / ${devices}), filling.id('bot', n * ${teams} / ${devices}),
             'Desk ' || n, '+1777' || lpad(n::text, 7, '0'), filling.id('pool', 1), 'http://127.0.0.1:4000'
      from generate_series(0, ${devices - 1}) n;

    create table filling.chats as
      select k, filling.id('conversation', k) as id, filling.id('team', d * ${teams} / ${devices}) as team_id,
             filling.id('device', d) as device_id, '+4915' || lpad(k::text, 9, '0') as contact_number
      from (select k, floor(${devices} * power(filling.share(k, 1), 2))::bigint as d
            from generate_series(0::bigint, ${chats + regulars - 1}) k offset 0) c;
    alter table filling.chats add primary key (k);
    create view filling.conversations as
      select id, team_id, device_id, contact_number, 'bot' as state,
             at + interval '${filledDays} days' * case when k < ${chats} then least(1, (k + 500) / ${chats}::float8)
                                             else 1 - filling.share(k, 2) / ${filledDays} end as last_message_at,
             at + interval '${filledDays} days' * case when k < ${chats} then k / ${chats}::float8 else 0 end as created_at
      from filling.chats, filling.start;

    create view filling.numbered as
      select m.*, c.*, n % 2 = 0 as is_out, n % 20 = 0 as by_api,
             lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex_time, md5(n::text) as hash,
             (array['Hello, is the shop open today?', 'Yes, we are open until six in the evening.',
                    'How much is a tandem for a day?', 'A tandem costs 35 euros a day, helmets included. Shall I reserve one?',
                    'ok thanks', 'You are welcome!', 'My chain came off again, can I bring the bicycle tomorrow morning?',
                    'Of course. The workshop opens at nine, and a chain usually takes ten minutes while you wait.']
             )[1 + n % 8] as text
      from (select n, start.at + interval '${filledDays} days' * (n / ${messages}::float8) as at,
                   case when filling.share(n, 3) < 0.2 then ${chats} + floor(${regulars} * filling.share(n, 4))::bigint
                        else greatest(0, n * ${chats} / ${messages} - floor(500 * filling.share(n, 5))::bigint) end as chat
            from generate_series(1::bigint, ${messages}) n, filling.start offset 0) m
      cross join lateral (
        select id as conversation_id, team_id, device_id, contact_number from filling.chats where k = m.chat offset 0) c
      offset 0;
    create view filling.messages as
      select (hex_time || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as id, team_id, device_id,
             contact_number, case when is_out then 'out' else 'in' end as direction,
             case when by_api then 'api' when is_out then 'bot' else 'contact' end as origin, 'text' as kind, text,
             '3EB0' || upper(substr(hash, 1, 18)) as network_id, case when is_out then 'read' else 'answered' end as status,
             at as next_attempt_at, at as sent_at, at as created_at
      from filling.numbered;
    create view filling.events as
      select (hex_time || '7' || place || substr(hash, 1, 2) || '8' || substr(hash, 4, 15))::uuid as id, team_id,
             'message.' || type as type, device_id, contact_number,
             jsonb_build_object('message_id', hex_time || substr(hash, 1, 20), 'device_id', device_id,
                                'contact_number', contact_number, 'origin', 'bot', 'kind', 'text')
               || case type when 'received' then jsonb_build_object('text', text, 'conversation_id', conversation_id)
                            when 'sent' then jsonb_build_object('text', text) else '{}' end as data, at as created_at
      from filling.numbered cross join lateral unnest(
        case when is_out then array['sent', 'delivered', 'read'] else array['received'] end
      ) with ordinality as happened (type, place);
    create view filling.audit_log as
      select (hex_time || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as id, at, 'pk_bench' as key_id,
             hash as request_id, '127.0.0.1' as address, 'sendMessage' as operation, 'message' as object_type,
             hex_time || substr(hash, 1, 20) as object_id, team_id,
             jsonb_build_object('id', hash, 'kind', 'text', 'origin', 'api', 'status', 'accepted', 'team_id', team_id,
                                'device_id', device_id) as after, n / 20 as position, sha256(hash::bytea) as hash
      from filling.numbered where by_api`);
}

/** Keeps those of constraints, whose keys arrive in order. */
async function dropIndexes(client: pg.Client): Promise<{ indexdef: string }[]> {
  const { rows } = await client.query<{ name: string; indexdef: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as indexdef from pg_index i
     where i.indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = i.indexrelid)`,
    [filledTables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

/** One backend formats rows while another stores them. */
async function copyRows(reader: pg.Client, writer: pg.Client, table: string): Promise<void> {
  const { rows } = await reader.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0`,
    [`filling.${table}`],
  );
  const columns = rows[0]?.columns ?? '';
  // A table that its transaction emptied needs no log of changes with wal_level=minimal.
  await writer.query('begin');
  await writer.query(`truncate ${table} cascade`);
  await pipeline(
    reader.query(copyTo(`copy (select ${columns} from filling.${table}) to stdout (format binary)`)),
    writer.query(copyFrom(`copy ${table} (${columns}) from stdin (format binary)`)),
  );
  await writer.query('commit');
}
