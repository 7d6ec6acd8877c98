-- Room: records
-- Effect: a row in events. Triggers and statements call it in the transaction of the change.

-- A version 7 UUID: ids rise with time.
create or replace function new_event_id() returns uuid language sql as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid
$$;

create or replace function record_event(of_type text, of_team uuid, of_device uuid, of_contact text, with_data jsonb)
returns void language sql as $$
  insert into events (type, team_id, device_id, contact_number, data)
  values (of_type, of_team, of_device, of_contact, with_data)
$$;
