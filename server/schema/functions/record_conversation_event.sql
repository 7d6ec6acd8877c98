-- Room: chat
-- Effect: conversation.human_requested, .paused and .resumed, and contact.automated in events. For the flag out_of_credits: credits.exhausted, once for each
-- number of credits in a month, which monthly_usage.exhausted_at_credits remembers.
-- Watches: state, flag

create or replace function record_credits_exhausted(of_team uuid) returns void language plpgsql as $$
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

create or replace function record_conversation_event() returns trigger language plpgsql as $$
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
  if new.flag = 'automated_contact' and old_flag is distinct from new.flag then
    perform record_event('contact.automated', new.team_id, new.device_id, new.contact_number, about);
  end if;
  if new.flag = 'out_of_credits' and old_flag is distinct from new.flag then
    perform record_credits_exhausted(new.team_id);
  end if;
  return null;
end
$$;

create or replace trigger conversations_record_changed after update of state, flag on conversations
  for each row when (new.state <> old.state or new.flag is distinct from old.flag) execute function record_conversation_event();
create or replace trigger conversations_record_inserted after insert on conversations
  for each row when (new.state = 'paused' or new.flag is not null) execute function record_conversation_event();
