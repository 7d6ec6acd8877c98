-- When people of a team are there, and what a contact who asks for one hears at other times. Without a row: always.
create table opening_hours (
  team_id uuid primary key references teams (id) on delete cascade,
  -- Null in JSON: always.
  hours jsonb not null,
  updated_at timestamp(3) with time zone not null default now()
);
