-- Room: chat
-- Effect: payment.captured in events, if the trace of an answer has payments.
create or replace function record_payment_event() returns trigger language plpgsql as $$
begin
  perform record_event('payment.captured', new.team_id, new.device_id, new.contact_number, jsonb_build_object(
    'conversation_id', (select id from conversations c
                        where c.device_id = new.device_id and c.contact_number = new.contact_number),
    'device_id', new.device_id, 'contact_number', new.contact_number));
  return null;
end
$$;

create or replace trigger answers_record_payment after insert on answers
  for each row when (new.trace ? 'payments') execute function record_payment_event();
