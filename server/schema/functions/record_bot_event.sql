-- Room: knowledge
-- Effect: bot.published in events.
-- Watches: live_version
create or replace function record_bot_event() returns trigger language plpgsql as $$
begin
  perform record_event('bot.published', new.team_id, null, null,
    jsonb_build_object('bot_id', new.id, 'name', new.name, 'version', new.live_version));
  return null;
end
$$;

create or replace trigger bots_record_published after update of live_version on bots
  for each row when (new.live_version is not null and new.live_version is distinct from old.live_version)
  execute function record_bot_event();
