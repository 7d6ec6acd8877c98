-- Room: chat
-- Effect: message.sent, .delivered, .read and .failed in events, also for statuses that a message skipped.
-- Watches: status
create or replace function record_message_statuses() returns trigger language plpgsql as $$
begin
  insert into events (type, team_id, device_id, contact_number, data)
  select 'message.' || reached.name, m.team_id, m.device_id, m.contact_number,
         jsonb_build_object('message_id', m.id, 'device_id', m.device_id, 'contact_number', m.contact_number,
                            'origin', m.origin, 'kind', m.kind)
         || case reached.name
              when 'sent' then jsonb_build_object('text', m.text)
              when 'failed' then jsonb_build_object('status', m.status, 'failure', coalesce(m.failure, 'unknown'))
              else '{}' end
  from new_messages m join old_messages before using (id)
  cross join lateral (values
    (1, 'sent', m.status = 'sent' or m.status in ('delivered', 'read') and before.status in ('accepted', 'unknown')),
    (2, 'delivered', m.status = 'delivered' or m.status = 'read' and before.status <> 'delivered'),
    (3, 'read', m.status = 'read'),
    (4, 'failed', m.status in ('refused', 'unknown'))
  ) as reached (place, name, is_reached)
  where m.direction = 'out' and m.status <> before.status and reached.is_reached
  order by m.created_at, m.id, reached.place;
  return null;
end
$$;

create or replace trigger messages_record_status after update on messages
  referencing old table as old_messages new table as new_messages
  for each statement execute function record_message_statuses();
