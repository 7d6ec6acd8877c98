-- Incompatible with earlier versions: they expect the bytes of every medium in its row.
-- Media over 64 KiB are in the file store under `file_key`, and have no `bytes`.
alter table message_media
  alter column bytes drop not null,
  add column file_key text,
  add column size integer,
  add constraint message_media_in_one_place
    check ((bytes is null) = (file_key is not null) and (file_key is null) = (size is null));

-- A file goes with its row, whatever deletes the row. Keys start with the id of the team.
create function schedule_media_deletion() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, team_id, kind, ref)
  select gen_random_uuid(), split_part(file_key, '/', 1)::uuid, 'file', file_key from gone where file_key is not null;
  return null;
end $$;

create trigger message_media_files after delete on message_media
  referencing old table as gone for each statement execute function schedule_media_deletion();
