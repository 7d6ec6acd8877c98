-- The teams whose documents and knowledge stores a job moves to `installation.knowledge_place`. Until `moved_at`, those of
-- the team are all at the other place. The row stays for some minutes after that, so that running answers end before the old
-- objects are deleted.
create table knowledge_moves (
  team_id uuid primary key references teams (id) on delete cascade,
  -- Part of the operations of this move at the provider. Another move of the same team has another one.
  id uuid not null default gen_random_uuid(),
  moved_at timestamptz,
  -- Why the last attempt failed.
  failure text
);

-- The copy of a document at the place to which its team is moving.
alter table documents add column next_provider_id text;
