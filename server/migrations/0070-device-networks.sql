-- The network of each device. Null: the network of the deployment before a deployment could have several; the next start sets it.
alter table devices add column network text;

update devices set network = case
    when exists (select from device_sessions s where s.device_id = devices.id and s.kind = 'simulator') then 'simulator'
    when exists (select from device_sessions s where s.device_id = devices.id) then 'whatsapp'
  end;

-- The network's own id of a message that was sent, if the network does not take ours.
alter table messages add column external_id text;
