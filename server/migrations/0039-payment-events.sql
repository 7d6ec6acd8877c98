-- Each answer to payment receipts is an event. The flag of the conversation changes only with the first one, and not at all if the
-- contact also asks for a person.
create function record_payment_event() returns trigger language plpgsql as $$
begin
  perform record_event('payment.captured', new.team_id, new.device_id, new.contact_number, jsonb_build_object(
    'conversation_id', (select id from conversations c
                        where c.device_id = new.device_id and c.contact_number = new.contact_number),
    'device_id', new.device_id, 'contact_number', new.contact_number));
  return null;
end
$$;
create trigger answers_record_payment after insert on answers for each row
  when (new.trace ? 'payments') execute function record_payment_event();

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
  if new.flag = 'out_of_credits' and old_flag is distinct from new.flag then
    perform record_credits_exhausted(new.team_id);
  end if;
  return null;
end
$$;
