-- chat: Until when it is counted which answers of a team were resolved alone.
create table bot_days_settled (
  team_id uuid not null,
  until timestamp(3) with time zone not null,
  constraint bot_days_settled_pkey PRIMARY KEY (team_id),
  constraint bot_days_settled_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
