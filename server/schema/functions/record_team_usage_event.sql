-- Room: tenancy
-- Effect: quota.warning (80%) and quota.reached in events, for bots, accounts, characters, documents and members.
-- Watches: bots, accounts, characters, documents, members
create or replace function record_team_usage_event() returns trigger language plpgsql as $$
declare
  q record;
begin
  for q in
    select quota, used_before, used, quota_limit from teams t join plans p on p.name = t.plan_name cross join lateral (values
      ('bots', old.bots, new.bots, coalesce(t.quota_bots, p.bots)),
      ('accounts', old.accounts, new.accounts, coalesce(t.quota_accounts, p.accounts)),
      ('characters', old.characters, new.characters, coalesce(t.quota_characters, p.characters)),
      ('documents', old.documents, new.documents, coalesce(t.quota_documents, p.documents)),
      ('members', old.members, new.members, coalesce(t.quota_members, p.members))
    ) as each (quota, used_before, used, quota_limit)
    where t.id = new.team_id
  loop
    perform record_quota_event(new.team_id, q.quota, q.used_before, q.used, q.quota_limit, q.quota_limit);
  end loop;
  return null;
end
$$;

create or replace trigger team_usage_record_rise after update on team_usage
  for each row when (
    new.bots > old.bots
    or new.accounts > old.accounts
    or new.characters > old.characters
    or new.documents > old.documents
    or new.members > old.members
  ) execute function record_team_usage_event();
