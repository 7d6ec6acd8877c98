-- A receipt can arrive before the acknowledgement, or for a later status than the next one. The message then skips a status, and
-- the event of each skipped status is recorded before that of the new one.
create or replace function record_message_event() returns trigger language plpgsql as $$
declare
  about jsonb := jsonb_build_object('message_id', new.id, 'device_id', new.device_id, 'contact_number', new.contact_number,
                                    'origin', new.origin, 'kind', new.kind);
begin
  if tg_op = 'UPDATE' and new.status in ('delivered', 'read') then
    if old.status in ('accepted', 'unknown') then
      perform record_event('message.sent', new.team_id, new.device_id, new.contact_number,
                           about || jsonb_build_object('text', new.text));
    end if;
    if new.status = 'read' and old.status <> 'delivered' then
      perform record_event('message.delivered', new.team_id, new.device_id, new.contact_number, about);
    end if;
  end if;
  insert into events (type, team_id, device_id, contact_number, data) values (
    case when new.direction = 'in' then 'message.received'
         when new.status in ('refused', 'unknown') then 'message.failed' else 'message.' || new.status end,
    new.team_id, new.device_id, new.contact_number,
    about
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
