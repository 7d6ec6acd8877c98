-- When the flag was set. Null for flags of earlier versions.
alter table conversations add column flagged_at timestamp(3) with time zone;
create index conversations_flagged on conversations (team_id, flag, last_message_at desc, id desc) where flag is not null;
create index bots_unpublished on bots (team_id) where state = 'live' and not published;
create index documents_failed on documents (team_id) where state = 'live' and provider_status = 'failed';
