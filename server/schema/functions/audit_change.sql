-- Room: records
-- Effect: a row in audit_log for each change that a request makes to a setting, a bot, a device, a document or a key.

-- A request sets parley.audit to who it is and where it comes from (server/src/records/audit/request-context.ts). Work that no request
-- asked for is not audited.
create or replace function is_audited() returns boolean language sql stable as $$
  select coalesce(current_setting('parley.audit', true), '') <> ''
$$;

-- Secrets in URLs: the name and password before the host, the query and the fragment.
create or replace function mask_urls(of_values jsonb) returns jsonb language sql immutable as $$
  select case when of_values::text !~* 'https?://' then of_values
    else regexp_replace(regexp_replace(regexp_replace(of_values::text,
      '(https?://)[^\s"\\/?#]*@', '\1***@', 'gi'),
      '(https?://[^\s"\\?#]*)\?[^\s"\\#]+', '\1?***', 'gi'),
      '(https?://[^\s"\\#]*)#[^\s"\\]+', '\1#***', 'gi')::jsonb end
$$;

-- Sealed values and hashes are masked. A long value is replaced by its hash and length.
create or replace function audit_values(of_row jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case
    when value = 'null' then value
    when key ~ '(_sealed|_hash)$' then '"***"'
    when length(value::text) > 2000 then jsonb_build_object(
      'sha256', encode(sha256(convert_to(value::text, 'UTF8')), 'hex'), 'length', length(value::text))
    else value end)
  from jsonb_each(of_row)
$$;

create or replace function write_audit_row(of_object text, of_id text, of_team uuid, old_values jsonb, new_values jsonb)
returns void language sql as $$
  insert into audit_log (key_id, request_id, address, operation, object_type, object_id, team_id, before, after)
  select c ->> 'key_id', c ->> 'request_id', c ->> 'address', c ->> 'operation', of_object, of_id, of_team, mask_urls(old_values),
         case when of_object in ('message', 'contact') then coalesce(mask_urls(new_values), '{}') || coalesce(c -> 'hashed', '{}')
              else mask_urls(new_values) end
  from (select current_setting('parley.audit')::jsonb as c) context
$$;

-- The arguments of a trigger are the object's type, the columns of its id and team, and the columns that are recorded. The last argument
-- lists the columns that are not recorded, so that a test can tell whether somebody decided about a column.
create or replace function audit_change() returns trigger language plpgsql as $$
declare
  recorded text[] := regexp_split_to_array(tg_argv[3], ',\s*');
  known jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
  old_values jsonb;
  new_values jsonb;
begin
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(o.key, o.value), jsonb_object_agg(n.key, n.value) into old_values, new_values
    from jsonb_each(to_jsonb(old)) o join jsonb_each(known) n using (key)
    where o.value <> n.value and key = any(recorded);
    if new_values is null then
      return null;
    end if;
  elsif tg_op = 'INSERT' then
    new_values := (select jsonb_object_agg(key, value) from jsonb_each(known) where key = any(recorded));
  else
    old_values := (select jsonb_object_agg(key, value) from jsonb_each(known) where key = any(recorded));
  end if;
  perform write_audit_row(tg_argv[0], known ->> tg_argv[1], (known ->> tg_argv[2])::uuid,
                          audit_values(old_values), audit_values(new_values));
  return null;
end
$$;

create or replace trigger api_key_roles_audit after insert on api_key_roles
  for each row when (is_audited()) execute function audit_change('api_key', 'key_id', 'none',
    'key_id, role',
    '');

create or replace trigger api_keys_audit after insert or update or delete on api_keys
  for each row when (is_audited()) execute function audit_change('api_key', 'key_id', 'team_id',
    'created_at, expires_at, is_active, key_id, name, scope, secret_hash, secret_key_id, team_id,
     token_generation',
    'last_used');

create or replace trigger bot_actions_audit after insert or update or delete on bot_actions
  for each row when (is_audited()) execute function audit_change('bot_action', 'id', 'team_id',
    'body, bot_id, description, endpoint, headers_sealed, id, method, name, parameters, team_id',
    'position');

create or replace trigger bot_documents_audit after insert or delete on bot_documents
  for each row when (is_audited()) execute function audit_change('bot_document', 'document_id', 'team_id',
    'bot_id, document_id, team_id',
    'position');

create or replace trigger bot_policies_audit after insert or update on bot_policies
  for each row when (is_audited()) execute function audit_change('bot', 'bot_id', 'team_id',
    'answer_max_age_minutes, bot_id, disclosure, purpose, team_id',
    '');

create or replace trigger bots_audit after insert or update or delete on bots
  for each row when (is_audited()) execute function audit_change('bot', 'id', 'team_id',
    'ai_provider_id, allow_human, allow_user_audio_requests, break_lines, capture_payments,
     chat_model_level, created_at, description, draft_revision, id, identification_name, instructions,
     live_version, name, published, questions, role, state, team_id, temperature, use_audio_responses,
     vector_id',
    'updated_at');

create or replace trigger brands_audit after insert or update or delete on brands
  for each row when (is_audited()) execute function audit_change('brand', 'team_id', 'team_id',
    'color, logo, logo_type, name, sender_name, team_id',
    'updated_at');

create or replace trigger conversations_audit after update on conversations
  for each row when (is_audited()) execute function audit_change('conversation', 'id', 'team_id',
    'assignee_id, closed_at, created_at, device_id, flag, flag_reason, id, labels, paused_until, state, team_id',
    'assigned_at, contact_number, flagged_at, last_message_at, noticed_at, read_at, claim_fence, claimed_until, attempts, answer_due_at');

create or replace trigger device_links_audit after insert or update or delete on device_links
  for each row when (is_audited()) execute function audit_change('device_link', 'device_id', 'team_id',
    'device_id, expires_at, team_id, token_hash, used_at',
    '');

create or replace trigger devices_audit after insert or update or delete on devices
  for each row when (is_audited()) execute function audit_change('device', 'id', 'team_id',
    'account_id, blocked, bot_id, connected, created_at, default_template, id, last_disconnect_at, last_disconnect_reason, logged_in, messaging_limit, missed_call_reply,
     name, network, new_chats_restricted_by, new_chats_restricted_until, phone_number, pool_id, pool_url, quality, site_key, status,
     suspended_until, team_id, token_generation, web_chat',
    'updated_at, account_key, epoch, qr_text, qr_expires_at, pairing_phone_number');

create or replace trigger documents_audit after insert or update or delete on documents
  for each row when (is_audited()) execute function audit_change('document', 'id', 'team_id',
    'ai_provider_id, charged_characters, chars, created_at, file_key, id, name, next_provider_id,
     provider_status, size, state, team_id, type',
    'updated_at, provider_asked_at');

create or replace trigger hosts_audit after insert or update or delete on hosts
  for each row when (is_audited()) execute function audit_change('host', 'name', 'team_id',
    'created_at, name, team_id',
    '');

create or replace trigger memberships_audit after insert or update or delete on memberships
  for each row when (is_audited()) execute function audit_change('membership', 'user_id', 'none',
    'person_id, user_id',
    '');

create or replace trigger message_templates_audit after insert or update or delete on message_templates
  for each row when (is_audited()) execute function audit_change('template', 'id', 'team_id',
    'body, category, created_at, device_id, external_id, id, language, name, reason, state, team_id, variables',
    'updated_at');

create or replace trigger messages_audit after insert on messages
  for each row when (is_audited()) execute function audit_change('message', 'id', 'team_id',
    'answer_id, charged_month, created_at, device_id, direction, failure, failure_code, generation,
     held_when_restricted, id, kind, mime_type, origin, pricing, refunded, request_id, sent_at, status, team_id',
    'contact_number, text, details, network_id, seq, next_attempt_at, attempts, claim_epoch,
     claimed_until, handed_off_at, external_id, template, choices');

create or replace trigger passkeys_audit after insert or update or delete on passkeys
  for each row when (is_audited()) execute function audit_change('passkey', 'id', 'none',
    'created_at, host, id, name, person_id',
    'counter, credential_id, last_used_at, public_key');

create or replace trigger people_audit after insert or update or delete on people
  for each row when (is_audited()) execute function audit_change('person', 'id', 'none',
    'created_at, email, id, password_hash, proved_at',
    'last_seen_at');

create or replace trigger plans_audit after insert or update or delete on plans
  for each row when (is_audited()) execute function audit_change('plan', 'name', 'none',
    'accounts, active_messages_monthly, allow_active_messaging, bots, characters, created_at, credits,
     documents, members, name, paying',
    '');

create or replace trigger portal_links_audit after insert or update on portal_links
  for each row when (is_audited()) execute function audit_change('portal_link', 'id', 'team_id',
    'created_at, creator_id, expires_at, id, pages, role, session_expires_at, session_hash, team_id, token_hash, used_at',
    'creator_generation');

create or replace trigger second_factors_audit after insert or update or delete on second_factors
  for each row when (is_audited()) execute function audit_change('second_factor', 'person_id', 'none',
    'confirmed_at, created_at, person_id, recovery_codes_hash, secret_sealed',
    'last_step');

create or replace trigger sessions_audit after insert or delete on sessions
  for each row when (is_audited()) execute function audit_change('session', 'id', 'none',
    'address, created_at, id, person_id, token_hash, user_agent',
    'last_seen_at, password_settable_until');

create or replace trigger sign_in_links_audit after insert on sign_in_links
  for each row when (is_audited()) execute function audit_change('sign_in_link', 'user_id', 'none',
    'expires_at, kind, token_hash, user_id',
    '');

create or replace trigger teams_audit after insert or update or delete on teams
  for each row when (is_audited()) execute function audit_change('team', 'id', 'id',
    'banned, created_at, id, name, paying, plan_name, quota_accounts, quota_bots, quota_characters,
     quota_credits, quota_documents, quota_members, settings',
    'updated_at');

create or replace trigger users_audit after insert or update or delete on users
  for each row when (is_audited()) execute function audit_change('user', 'id', 'team_id',
    'created_at, email, id, name, phone, picture_type, role, team_id',
    'picture');

create or replace trigger webhooks_audit after insert or update or delete on webhooks
  for each row when (is_audited()) execute function audit_change('webhook', 'id', 'team_id',
    'created_at, description, disabled_at, disabled_reason, enabled, events, failing_since, id, ordered,
     previous_secret_sealed, previous_secret_until, secret_sealed, team_id, thin, url',
    'updated_at, claimed_by, claimed_until');
