-- What a bot is for, and how it says that a machine answers. Not in bots, because version 0.2.0 reads all columns of that table.
create table bot_policies (
  bot_id uuid not null,
  team_id uuid not null,
  purpose text,
  disclosure jsonb,
  constraint bot_policies_pkey primary key (bot_id),
  constraint bot_policies_team_id_bot_id_fkey foreign key (team_id, bot_id) references bots(team_id, id) on delete cascade
);
