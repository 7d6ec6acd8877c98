-- Room: tenancy
-- Effect: team.created, team.updated (with the names of the changed settings) or team.deleted in events.
create or replace function record_team_event() returns trigger language plpgsql as $$
declare
  of_team teams := case when tg_op = 'DELETE' then old else new end;
  about jsonb := jsonb_build_object('team_id', of_team.id, 'name', of_team.name);
begin
  if tg_op = 'UPDATE' then
    about := about || jsonb_build_object('changes', coalesce((
      select jsonb_agg(distinct case when starts_with(n.key, 'quota_') then 'quotas' else n.key end)
      from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o using (key)
      where n.value <> o.value and n.key <> 'updated_at'), '[]'));
    if about -> 'changes' = '[]' then
      return null;
    end if;
  end if;
  perform record_event(tg_argv[0], of_team.id, null, null, about);
  return null;
end
$$;

create or replace trigger teams_record_created after insert on teams
  for each row execute function record_team_event('team.created');
create or replace trigger teams_record_deleted after delete on teams
  for each row execute function record_team_event('team.deleted');
create or replace trigger teams_record_updated after update on teams
  for each row execute function record_team_event('team.updated');
