-- Room: tenancy
-- Effect: team_counts, in 256 shards, follows the number of teams and of paying ones.
-- Watches: paying
create or replace function count_teams() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update team_counts
    set teams = teams + (select count(*) from added), paying = paying + (select count(*) from added where added.paying)
    where shard = own_shard();
  elsif tg_op = 'DELETE' then
    update team_counts
    set teams = teams - (select count(*) from gone), paying = paying - (select count(*) from gone where gone.paying)
    where shard = own_shard() and exists (select from gone);
  else
    update team_counts c set paying = c.paying + change.paying
    from (select (select count(*) from added where paying) - (select count(*) from gone where paying) as paying) change
    where c.shard = own_shard() and change.paying <> 0;
  end if;
  return null;
end
$$;

create or replace trigger teams_count_added after insert on teams
  referencing new table as added
  for each statement execute function count_teams();
create or replace trigger teams_count_changed after update on teams
  referencing old table as gone new table as added
  for each statement execute function count_teams();
create or replace trigger teams_count_gone after delete on teams
  referencing old table as gone
  for each statement execute function count_teams();
