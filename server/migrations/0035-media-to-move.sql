-- Without a transaction.
drop index concurrently if exists message_media_file;
create unique index concurrently message_media_file on message_media (file_key) where file_key is not null;
drop index concurrently if exists message_media_to_move;
create index concurrently message_media_to_move on message_media (message_id, position) where octet_length(bytes) > 65536;
