-- When a person last saw the conversation. Conversations of earlier versions count as read.
alter table conversations add column read_at timestamp(3) with time zone default now();
alter table conversations alter column read_at drop default;
create index conversations_unread on conversations (team_id, last_message_at desc, id desc)
  where read_at is null or read_at < last_message_at;
-- The last_message_at of the conversation when a person closed it: a later message opens it again.
alter table conversations add column closed_at timestamp(3) with time zone;
