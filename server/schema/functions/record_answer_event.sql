-- Room: chat
-- Effect: conversation.unanswered in events.
create or replace function record_answer_event() returns trigger language plpgsql as $$
begin
  perform record_event('conversation.unanswered', new.team_id, new.device_id, new.contact_number, jsonb_build_object(
    'conversation_id', (select id from conversations c
                        where c.device_id = new.device_id and c.contact_number = new.contact_number),
    'device_id', new.device_id, 'contact_number', new.contact_number, 'bot_id', new.bot_id, 'answer_id', new.id));
  return null;
end
$$;

create or replace trigger answers_record_unanswered after insert on answers
  for each row when (not new.answered) execute function record_answer_event();
