-- Lists are newest first by creation, of messages too, whose numbers (seq) tell the order in which they were inserted.
drop index messages_team_newest;
create index messages_team_newest on messages (team_id, created_at desc, id desc);
create index messages_newest on messages (created_at desc, id desc);

-- When the plans of a database were made is not known: those that are shipped came first, and from the smallest on.
alter table plans add column created_at timestamptz(3) not null default now();
update plans set created_at = created_at - array_position('{enterprise,pro,starter,free}', name) * interval '1 second'
where name in ('free', 'starter', 'pro', 'enterprise');
