-- Room: chat
-- Effect: tombstones gets the files of deleted media, which a job deletes.
create or replace function schedule_media_deletion() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, team_id, kind, ref)
  select gen_random_uuid(), split_part(file_key, '/', 1)::uuid, 'file', file_key from gone where file_key is not null;
  return null;
end
$$;

create or replace trigger message_media_files after delete on message_media
  referencing old table as gone
  for each statement execute function schedule_media_deletion();
