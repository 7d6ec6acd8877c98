-- Room: tenancy
-- Effect: a person whose last membership ends is deleted, with the sessions.
create or replace function delete_people_without_memberships() returns trigger language plpgsql as $$
begin
  delete from people p
  where p.id in (select person_id from gone) and not exists (select from memberships m where m.person_id = p.id);
  return null;
end
$$;

create or replace trigger memberships_delete_people after delete on memberships
  referencing old table as gone
  for each statement execute function delete_people_without_memberships();
