-- Room: chat
-- Effect: the contact of every conversation has a row in contacts.
create or replace function keep_contact() returns trigger language plpgsql as $$
begin
  insert into contacts (team_id, contact_number) values (new.team_id, new.contact_number)
  on conflict (team_id, contact_number) do nothing;
  return null;
end
$$;

create or replace trigger conversations_keep_contact after insert on conversations
  for each row execute function keep_contact();
