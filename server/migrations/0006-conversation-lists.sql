-- Lists are newest first by creation. The index on the last message went unused and cost a write with every message.
drop index conversations_team;
create index conversations_newest on conversations (created_at desc, id desc);
create index conversations_team_newest on conversations (team_id, created_at desc, id desc);
