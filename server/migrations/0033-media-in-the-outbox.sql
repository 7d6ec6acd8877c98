-- without a transaction
-- Claims take messages with media apart from texts, which must not wait behind them.
drop index concurrently if exists messages_outbox_media;
create index concurrently messages_outbox_media on messages (device_id, seq)
  where direction = 'out' and status = 'accepted' and kind <> 'text';
