-- What happened, for integrators. The triggers below write an event in the transaction of the change that it reports, so that
-- no change goes without its event and no event without its change, whichever version of Parley wrote it. A reader takes
-- events in the order of (xid, seq), and only those of transactions before the oldest one that still runs. No foreign keys:
-- events outlive their objects until a job purges them.
create function new_event_id() returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid
$$;

create table events (
  id uuid primary key default new_event_id(),
  xid xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  team_id uuid,
  type text not null,
  -- The contact's chat, which orders deliveries. Erasing a contact deletes by these.
  device_id uuid,
  contact_number text,
  data jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index events_order on events (xid, seq);
create index events_team_order on events (team_id, xid, seq);

-- Transaction ids and the order of events mean something only on one server. The incarnation changes when the database is
-- found on another one, as after a restore; then cursors of the time before are refused.
create table event_log (
  only_row boolean primary key default true check (only_row),
  incarnation uuid not null default gen_random_uuid(),
  server text,
  -- Events up to here have been given to the webhooks.
  fanned_xid xid8 not null default '0',
  fanned_seq bigint not null default 0
);
insert into event_log default values;

create function record_event(of_type text, of_team uuid, of_device uuid, of_contact text, with_data jsonb)
returns void language sql as $$
  insert into events (type, team_id, device_id, contact_number, data)
  values (of_type, of_team, of_device, of_contact, with_data)
$$;

create function record_message_event() returns trigger language plpgsql as $$
begin
  insert into events (type, team_id, device_id, contact_number, data) values (
    case when new.direction = 'in' then 'message.received'
         when new.status in ('refused', 'unknown') then 'message.failed' else 'message.' || new.status end,
    new.team_id, new.device_id, new.contact_number,
    jsonb_build_object('message_id', new.id, 'device_id', new.device_id, 'contact_number', new.contact_number,
                       'origin', new.origin, 'kind', new.kind)
    || case when new.direction = 'in' then jsonb_build_object('text', new.text, 'conversation_id', (
              select id from conversations c
              where c.device_id = new.device_id and c.contact_number = new.contact_number))
            when new.status = 'sent' then jsonb_build_object('text', new.text)
            when new.status in ('refused', 'unknown') then
              jsonb_build_object('status', new.status, 'failure', coalesce(new.failure, 'unknown'))
            else '{}' end);
  return null;
end
$$;
create trigger messages_record_inserted after insert on messages for each row
  when (new.direction = 'in' or new.status = 'sent') execute function record_message_event();
create trigger messages_record_status after update of status on messages for each row
  when (new.direction = 'out' and new.status <> old.status and new.status <> 'accepted')
  execute function record_message_event();

create function record_conversation_event() returns trigger language plpgsql as $$
declare
  about jsonb := jsonb_build_object('conversation_id', new.id, 'device_id', new.device_id,
                                    'contact_number', new.contact_number);
  was_paused boolean := tg_op = 'UPDATE' and old.state = 'paused';
  old_flag text := case when tg_op = 'UPDATE' then old.flag end;
begin
  if new.flag = 'human_requested' and (old_flag is distinct from new.flag or not was_paused) then
    perform record_event('conversation.human_requested', new.team_id, new.device_id, new.contact_number, about);
  end if;
  if new.state = 'paused' and not was_paused then
    perform record_event('conversation.paused', new.team_id, new.device_id, new.contact_number,
                         about || jsonb_build_object('paused_until', new.paused_until));
  elsif new.state = 'bot' and was_paused then
    perform record_event('conversation.resumed', new.team_id, new.device_id, new.contact_number, about);
  end if;
  if new.flag = 'payment_captured' and old_flag is distinct from new.flag then
    perform record_event('payment.captured', new.team_id, new.device_id, new.contact_number, about);
  end if;
  if new.flag = 'out_of_credits' and old_flag is distinct from new.flag then
    perform record_credits_exhausted(new.team_id);
  end if;
  return null;
end
$$;
create trigger conversations_record_inserted after insert on conversations for each row
  when (new.state = 'paused' or new.flag is not null) execute function record_conversation_event();
create trigger conversations_record_changed after update of state, flag on conversations for each row
  when (new.state <> old.state or new.flag is distinct from old.flag) execute function record_conversation_event();

create function record_answer_event() returns trigger language plpgsql as $$
begin
  perform record_event('conversation.unanswered', new.team_id, new.device_id, new.contact_number, jsonb_build_object(
    'conversation_id', (select id from conversations c
                        where c.device_id = new.device_id and c.contact_number = new.contact_number),
    'device_id', new.device_id, 'contact_number', new.contact_number, 'bot_id', new.bot_id, 'answer_id', new.id));
  return null;
end
$$;
create trigger answers_record_unanswered after insert on answers for each row
  when (not new.answered) execute function record_answer_event();

create function record_device_event() returns trigger language plpgsql as $$
declare
  about jsonb := jsonb_build_object('device_id', new.id, 'bot_id', new.bot_id, 'name', new.name);
begin
  if new.qr_text is not null and new.qr_text is distinct from old.qr_text then
    perform record_event('device.qr', new.team_id, new.id, null,
                         about || jsonb_build_object('qr_text', new.qr_text, 'expires_at', new.qr_expires_at));
  end if;
  if new.connected and not old.connected then
    perform record_event('device.connected', new.team_id, new.id, null,
                         about || jsonb_build_object('phone_number', new.phone_number));
  elsif old.connected and not new.connected then
    perform record_event('device.disconnected', new.team_id, new.id, null,
                         about || jsonb_build_object('reason', new.last_disconnect_reason));
  end if;
  if old.logged_in and not new.logged_in then
    perform record_event('device.logged_out', new.team_id, new.id, null,
                         about || jsonb_build_object('reason', new.last_disconnect_reason));
  end if;
  if new.blocked and not old.blocked then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'blocked', 'until', null));
  end if;
  if new.suspended_until > coalesce(old.suspended_until, now()) then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'suspended', 'until', new.suspended_until));
  end if;
  if new.new_chats_restricted_until > coalesce(old.new_chats_restricted_until, now()) then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'new_chats', 'until', new.new_chats_restricted_until));
  end if;
  return null;
end
$$;
create trigger devices_record_changed after update on devices for each row
  when (new.connected <> old.connected or new.logged_in <> old.logged_in or new.blocked <> old.blocked
        or new.suspended_until is distinct from old.suspended_until
        or new.new_chats_restricted_until is distinct from old.new_chats_restricted_until
        or new.qr_text is not null and new.qr_text is distinct from old.qr_text)
  execute function record_device_event();

create function record_document_event() returns trigger language plpgsql as $$
begin
  perform record_event('document.' || new.provider_status, new.team_id, null, null,
    jsonb_build_object('document_id', new.id, 'name', new.name, 'type', new.type));
  return null;
end
$$;
create trigger documents_record_inserted after insert on documents for each row
  when (new.state = 'live' and new.provider_status <> 'processing') execute function record_document_event();
create trigger documents_record_changed after update of state, provider_status on documents for each row
  when (new.state = 'live' and new.provider_status <> 'processing'
        and (old.state <> 'live' or old.provider_status <> new.provider_status))
  execute function record_document_event();

create function record_bot_event() returns trigger language plpgsql as $$
begin
  perform record_event('bot.published', new.team_id, null, null,
    jsonb_build_object('bot_id', new.id, 'name', new.name, 'version', new.live_version));
  return null;
end
$$;
create trigger bots_record_published after update of live_version on bots for each row
  when (new.live_version is not null and new.live_version is distinct from old.live_version)
  execute function record_bot_event();

create function record_team_event() returns trigger language plpgsql as $$
declare
  of_team teams := case when tg_op = 'DELETE' then old else new end;
  about jsonb := jsonb_build_object('team_id', of_team.id, 'name', of_team.name);
begin
  if tg_op = 'UPDATE' then
    about := about || jsonb_build_object('changes', coalesce((
      select jsonb_agg(distinct case when starts_with(n.key, 'quota_') then 'quotas' else n.key end)
      from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o using (key)
      where n.value <> o.value and n.key <> 'updated_at'), '[]'));
    if about -> 'changes' = '[]' then
      return null;
    end if;
  end if;
  perform record_event(tg_argv[0], of_team.id, null, null, about);
  return null;
end
$$;
create trigger teams_record_created after insert on teams for each row execute function record_team_event('team.created');
create trigger teams_record_updated after update on teams for each row execute function record_team_event('team.updated');
create trigger teams_record_deleted after delete on teams for each row execute function record_team_event('team.deleted');

-- quota.warning when the use rises to 80%, quota.reached when it rises to the last allowed value.
create function record_quota_event(of_team uuid, quota text, used_before bigint, used bigint, quota_limit bigint, last bigint)
returns void language plpgsql as $$
begin
  if last <= 0 or used <= used_before then
    return;
  end if;
  if used >= last and used_before < last then
    perform record_event('quota.reached', of_team, null, null,
                         jsonb_build_object('quota', quota, 'used', used, 'limit', quota_limit));
  elsif used * 5 >= quota_limit * 4 and used_before * 5 < quota_limit * 4 then
    perform record_event('quota.warning', of_team, null, null,
                         jsonb_build_object('quota', quota, 'used', used, 'limit', quota_limit));
  end if;
end
$$;

create function record_team_usage_event() returns trigger language plpgsql as $$
declare
  q record;
begin
  for q in
    select quota, used_before, used, quota_limit from teams t join plans p on p.name = t.plan_name cross join lateral (values
      ('bots', old.bots, new.bots, coalesce(t.quota_bots, p.bots)),
      ('accounts', old.accounts, new.accounts, coalesce(t.quota_accounts, p.accounts)),
      ('characters', old.characters, new.characters, coalesce(t.quota_characters, p.characters)),
      ('documents', old.documents, new.documents, coalesce(t.quota_documents, p.documents)),
      ('members', old.members, new.members, coalesce(t.quota_members, p.members))
    ) as each (quota, used_before, used, quota_limit)
    where t.id = new.team_id
  loop
    perform record_quota_event(new.team_id, q.quota, q.used_before, q.used, q.quota_limit, q.quota_limit);
  end loop;
  return null;
end
$$;
create trigger team_usage_record_rise after update on team_usage for each row
  when (new.bots > old.bots or new.accounts > old.accounts or new.characters > old.characters
        or new.documents > old.documents or new.members > old.members)
  execute function record_team_usage_event();

create function record_monthly_usage_event() returns trigger language plpgsql as $$
declare
  before_messages int := case when tg_op = 'UPDATE' then old.active_messages else 0 end;
  before_credits int := case when tg_op = 'UPDATE' then old.credits else 0 end;
  plan record;
begin
  select p.active_messages_monthly as messages, coalesce(t.quota_credits, p.credits) as credits into plan
  from teams t join plans p on p.name = t.plan_name where t.id = new.team_id;
  if new.active_messages > before_messages then
    perform record_quota_event(new.team_id, 'active_messages', before_messages, new.active_messages, plan.messages,
                               plan.messages::bigint * 105 / 100);
  end if;
  if new.credits > before_credits then
    perform record_quota_event(new.team_id, 'credits', before_credits, new.credits, plan.credits, plan.credits);
  end if;
  return null;
end
$$;
create trigger monthly_usage_record_first after insert on monthly_usage for each row
  execute function record_monthly_usage_event();
create trigger monthly_usage_record_rise after update of active_messages, credits on monthly_usage for each row
  when (new.active_messages > old.active_messages or new.credits > old.credits)
  execute function record_monthly_usage_event();

-- The credits that were used when `credits.exhausted` was last recorded. Many conversations run out together; one event tells.
alter table monthly_usage add column exhausted_at_credits integer;

create function record_credits_exhausted(of_team uuid) returns void language plpgsql as $$
begin
  insert into monthly_usage as u (team_id, month, exhausted_at_credits)
  values (of_team, date_trunc('month', now() at time zone 'UTC')::date, 0)
  on conflict (team_id, month) do update set exhausted_at_credits = u.credits
    where u.exhausted_at_credits is distinct from u.credits;
  if found then
    perform record_event('credits.exhausted', of_team, null, null, '{}');
  end if;
end
$$;
