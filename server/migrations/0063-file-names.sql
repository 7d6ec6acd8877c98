-- The name of a document that a person of the team sent.
alter table message_media add column file_name text;
