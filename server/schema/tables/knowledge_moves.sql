-- knowledge: The teams whose documents move between the database and OpenAI. Until moved_at, theirs are all at the other place.
create table knowledge_moves (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  moved_at timestamp with time zone,
  failure text,
  constraint knowledge_moves_pkey PRIMARY KEY (team_id),
  constraint knowledge_moves_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
