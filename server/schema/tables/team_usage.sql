-- tenancy: What a team uses of its lasting quotas: bots, devices, documents, characters, members.
create table team_usage (
  team_id uuid not null,
  bots integer not null default 0,
  accounts integer not null default 0,
  characters integer not null default 0,
  documents integer not null default 0,
  members integer not null default 0,
  constraint team_usage_pkey PRIMARY KEY (team_id),
  constraint team_usage_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint team_usage_accounts_check CHECK (accounts >= 0),
  constraint team_usage_bots_check CHECK (bots >= 0),
  constraint team_usage_characters_check CHECK (characters >= 0),
  constraint team_usage_documents_check CHECK (documents >= 0),
  constraint team_usage_members_check CHECK (members >= 0)
);

-- trigger team_usage_record_rise: after update, ../functions/record_team_usage_event.sql
