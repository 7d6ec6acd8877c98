-- without a transaction
-- Lists the conversations of all teams in the order of their newest messages.
drop index concurrently if exists conversations_newest_message;
create index concurrently conversations_newest_message on conversations (last_message_at desc, id desc);
