-- quality: Runs of cases and of questions that contacts asked. A worker answers them.
create table bot_runs (
  id uuid not null,
  team_id uuid not null,
  bot_id uuid not null,
  version text not null,
  baseline text,
  sources text[] not null,
  recent_count integer not null,
  draft_revision integer not null,
  digest text not null,
  state text not null default 'waiting'::text,
  error text,
  questions integer not null default 0,
  done integer not null default 0,
  passed integer not null default 0,
  failed integer not null default 0,
  warned integer not null default 0,
  changed integer not null default 0,
  worse integer not null default 0,
  cost double precision,
  created_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone,
  constraint bot_runs_pkey PRIMARY KEY (id),
  constraint bot_runs_bot_id_fkey FOREIGN KEY (bot_id) REFERENCES bots(id) ON DELETE CASCADE
);

create index bot_runs_bot ON public.bot_runs (bot_id, created_at DESC, id DESC);
create index bot_runs_team ON public.bot_runs (team_id, created_at);
