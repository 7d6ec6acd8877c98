-- chat: When people of a team are there, and what a contact who wants one hears at other times. Requests write them.
create table opening_hours (
  team_id uuid not null,
  hours jsonb not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint opening_hours_pkey PRIMARY KEY (team_id),
  constraint opening_hours_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
