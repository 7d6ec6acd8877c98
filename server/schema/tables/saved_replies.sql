-- chat: Texts that people of a team often send. Requests write them.
create table saved_replies (
  team_id uuid not null,
  replies jsonb not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint saved_replies_pkey PRIMARY KEY (team_id),
  constraint saved_replies_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
