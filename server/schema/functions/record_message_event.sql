-- Room: chat
-- Effect: message.received for an inbound message, message.sent for one that a person sent from the phone.
create or replace function record_message_event() returns trigger language plpgsql as $$
begin
  perform record_event(
    case when new.direction = 'in' then 'message.received' else 'message.sent' end,
    new.team_id, new.device_id, new.contact_number,
    jsonb_build_object('message_id', new.id, 'device_id', new.device_id, 'contact_number', new.contact_number,
                       'origin', new.origin, 'kind', new.kind, 'text', new.text)
    || case when new.direction = 'in' then jsonb_build_object('conversation_id', (
              select id from conversations c
              where c.device_id = new.device_id and c.contact_number = new.contact_number))
            else '{}' end);
  return null;
end
$$;

create or replace trigger messages_record_inserted after insert on messages
  for each row when (new.direction = 'in' or new.status = 'sent') execute function record_message_event();
