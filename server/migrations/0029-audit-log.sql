-- Who changed what. The triggers below write a row in the transaction of the change if the transaction runs for a request: it
-- then begins with the setting parley.audit, which says who asks for what. A job chains committed rows by their hashes.
create table audit_log (
  id uuid primary key default new_event_id(),
  seq bigint generated always as identity,
  at timestamptz(3) not null default clock_timestamp(),
  key_id text,
  request_id text,
  address text,
  operation text not null,
  object_type text not null,
  object_id text,
  team_id uuid,
  before jsonb,
  after jsonb,
  -- The place in the chain, null until the job chains the row.
  position bigint unique,
  hash bytea
);
create index audit_log_team on audit_log (team_id, id);
create index audit_log_unchained on audit_log (seq) where position is null;

create function write_audit_row(of_object text, of_id text, of_team uuid, old_values jsonb, new_values jsonb)
returns void language sql as $$
  insert into audit_log (key_id, request_id, address, operation, object_type, object_id, team_id, before, after)
  select c ->> 'key_id', c ->> 'request_id', c ->> 'address', c ->> 'operation', of_object, of_id, of_team,
         old_values, case when of_object in ('message', 'contact') then coalesce(new_values, '{}') || coalesce(c -> 'hashed', '{}')
              else new_values end
  from (select current_setting('parley.audit')::jsonb as c) context
$$;

-- Secrets are masked, and long values are replaced by their hashes.
create function audit_values(of_row jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case
    when value = 'null' then value
    when key ~ '(_sealed|_hash)$' then '"***"'
    when length(value::text) > 2000 then jsonb_build_object(
      'sha256', encode(sha256(convert_to(value::text, 'UTF8')), 'hex'), 'length', length(value::text))
    else value end)
  from jsonb_each(of_row)
$$;

-- Arguments: the type of the object, the columns of its id and its team, and the columns that no row shows.
create function audit_change() returns trigger language plpgsql as $$
declare
  hidden text[] := string_to_array(tg_argv[3], ',');
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - hidden end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - hidden end;
  known jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(n.key, n.value) into old_row, new_row
    from jsonb_each(old_row) o join jsonb_each(new_row) n using (key) where o.value <> n.value;
    if new_row is null then
      return null;
    end if;
  end if;
  perform write_audit_row(tg_argv[0], known ->> tg_argv[1], (known ->> tg_argv[2])::uuid,
                          audit_values(old_row), audit_values(new_row));
  return null;
end
$$;

create function is_audited() returns boolean language sql stable as $$
  select coalesce(current_setting('parley.audit', true), '') <> ''
$$;

create trigger teams_audit after insert or update or delete on teams for each row when (is_audited())
  execute function audit_change('team', 'id', 'id', 'updated_at');
create trigger users_audit after insert on users for each row when (is_audited())
  execute function audit_change('user', 'id', 'team_id', '');
create trigger api_keys_audit after insert or update or delete on api_keys for each row when (is_audited())
  execute function audit_change('api_key', 'key_id', 'team_id', 'last_used');
create trigger plans_audit after insert or update or delete on plans for each row when (is_audited())
  execute function audit_change('plan', 'name', 'none', '');
create trigger documents_audit after insert or update or delete on documents for each row when (is_audited())
  execute function audit_change('document', 'id', 'team_id', 'updated_at,provider_asked_at');
create trigger bots_audit after insert or update or delete on bots for each row when (is_audited())
  execute function audit_change('bot', 'id', 'team_id', 'updated_at');
create trigger bot_actions_audit after insert or update or delete on bot_actions for each row when (is_audited())
  execute function audit_change('bot_action', 'id', 'team_id', 'position');
create trigger bot_documents_audit after insert or delete on bot_documents for each row when (is_audited())
  execute function audit_change('bot_document', 'document_id', 'team_id', 'position');
create trigger devices_audit after insert or update or delete on devices for each row when (is_audited())
  execute function audit_change('device', 'id', 'team_id', 'updated_at,epoch,qr_text,qr_expires_at');
create trigger device_links_audit after insert or update or delete on device_links for each row when (is_audited())
  execute function audit_change('device_link', 'device_id', 'team_id', '');
create trigger conversations_audit after update on conversations for each row when (is_audited())
  execute function audit_change('conversation', 'id', 'team_id',
    'contact_number,last_message_at,claim_fence,claimed_until,attempts,answer_due_at');
create trigger messages_audit after insert on messages for each row when (is_audited())
  execute function audit_change('message', 'id', 'team_id',
    'contact_number,text,details,network_id,seq,next_attempt_at,attempts,claim_epoch,claimed_until,handed_off_at');
create trigger webhooks_audit after insert or update or delete on webhooks for each row when (is_audited())
  execute function audit_change('webhook', 'id', 'team_id', 'updated_at,claimed_by,claimed_until');
