-- Without a transaction.
drop index concurrently if exists messages_external_id;
create unique index concurrently messages_external_id on messages (device_id, external_id) where external_id is not null;
