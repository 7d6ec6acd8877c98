-- What must hold for the answers of a bot: cases, runs over them, and the gate before publishing.
create table bot_cases (
  id uuid primary key,
  team_id uuid not null,
  bot_id uuid not null references bots (id) on delete cascade,
  name text not null,
  messages jsonb not null,
  checks jsonb not null,
  -- Who wrote it: a person or a system (manual), or a message of a conversation (message).
  origin text not null,
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index bot_cases_bot on bot_cases (bot_id, created_at desc, id desc);

create table bot_gates (
  bot_id uuid primary key references bots (id) on delete cascade,
  team_id uuid not null,
  min_pass double precision not null,
  max_worse integer not null,
  sources text[] not null,
  recent_count integer not null,
  updated_at timestamptz(3) not null default now()
);

create table bot_runs (
  id uuid primary key,
  team_id uuid not null,
  bot_id uuid not null references bots (id) on delete cascade,
  version text not null,
  baseline text,
  sources text[] not null,
  recent_count integer not null,
  -- Of the draft when the run was created. A run of another state of the draft opens no gate.
  draft_revision integer not null,
  -- Of the enabled cases and the gate.
  digest text not null,
  state text not null default 'waiting',
  error text,
  questions integer not null default 0,
  done integer not null default 0,
  passed integer not null default 0,
  failed integer not null default 0,
  warned integer not null default 0,
  changed integer not null default 0,
  worse integer not null default 0,
  cost double precision,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index bot_runs_bot on bot_runs (bot_id, created_at desc, id desc);
create index bot_runs_team on bot_runs (team_id, created_at);

create table bot_run_results (
  run_id uuid not null references bot_runs (id) on delete cascade,
  team_id uuid not null,
  position integer not null,
  case_id uuid,
  -- Of a question that a contact asked. The result goes with the conversation.
  conversation_id uuid references conversations (id) on delete cascade,
  name text not null,
  outcome text not null,
  is_changed boolean not null,
  is_worse boolean not null,
  cost double precision,
  result jsonb not null,
  primary key (run_id, position)
);
create index bot_run_results_conversation on bot_run_results (conversation_id) where conversation_id is not null;
