-- Room: devices
-- Effect: template.updated in events, when the network reports another state of a template.
-- Watches: state
create or replace function record_template_event() returns trigger language plpgsql as $$
begin
  perform record_event('template.updated', new.team_id, new.device_id, null,
                       jsonb_build_object('template_id', new.id, 'device_id', new.device_id, 'name', new.name,
                                          'language', new.language, 'state', new.state, 'reason', new.reason));
  return null;
end
$$;

create or replace trigger message_templates_record_state after update on message_templates
  for each row when (new.state is distinct from old.state) execute function record_template_event();
