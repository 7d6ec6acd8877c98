-- Room: devices
-- Effect: device.qr, .connected, .disconnected, .logged_out and .restricted in events.
-- Watches: connected, logged_in, blocked, suspended_until, new_chats_restricted_until, qr_text, quality
create or replace function record_device_event() returns trigger language plpgsql as $$
declare
  about jsonb := jsonb_build_object('device_id', new.id, 'bot_id', new.bot_id, 'name', new.name);
begin
  if new.qr_text is not null and new.qr_text is distinct from old.qr_text then
    perform record_event('device.qr', new.team_id, new.id, null,
                         about || jsonb_build_object('qr_text', new.qr_text, 'expires_at', new.qr_expires_at));
  end if;
  if new.connected and not old.connected then
    perform record_event('device.connected', new.team_id, new.id, null,
                         about || jsonb_build_object('phone_number', new.phone_number));
  elsif old.connected and not new.connected then
    perform record_event('device.disconnected', new.team_id, new.id, null,
                         about || jsonb_build_object('reason', new.last_disconnect_reason));
  end if;
  if old.logged_in and not new.logged_in then
    perform record_event('device.logged_out', new.team_id, new.id, null,
                         about || jsonb_build_object('reason', new.last_disconnect_reason));
  end if;
  if new.blocked and not old.blocked then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'blocked', 'until', null));
  end if;
  if new.suspended_until > coalesce(old.suspended_until, now()) then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'suspended', 'until', new.suspended_until));
  end if;
  if new.new_chats_restricted_until > coalesce(old.new_chats_restricted_until, now()) then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'new_chats', 'until', new.new_chats_restricted_until));
  end if;
  if (new.quality = 'low') and old.quality is distinct from 'low' then
    perform record_event('device.restricted', new.team_id, new.id, null,
                         about || jsonb_build_object('kind', 'quality_low', 'until', null));
  end if;
  return null;
end
$$;

create or replace trigger devices_record_changed after update on devices
  for each row when (
    new.connected <> old.connected
    or new.logged_in <> old.logged_in
    or new.blocked <> old.blocked
    or new.suspended_until is distinct from old.suspended_until
    or new.new_chats_restricted_until is distinct from old.new_chats_restricted_until
    or new.qr_text is not null and new.qr_text is distinct from old.qr_text
    or new.quality is distinct from old.quality
  ) execute function record_device_event();
