-- knowledge: What a publish made of a draft. Rows never change.
create table bot_versions (
  bot_id uuid not null,
  version integer not null,
  team_id uuid not null,
  spec jsonb not null,
  actions_sealed bytea not null,
  provider_revision text not null,
  published_at timestamp(3) with time zone not null default now(),
  draft_revision integer not null,
  constraint bot_versions_pkey PRIMARY KEY (bot_id, version),
  constraint bot_versions_team_id_bot_id_fkey FOREIGN KEY (team_id, bot_id) REFERENCES bots(team_id, id) ON DELETE CASCADE
);
