-- quality: The old and the new answer of each question of a run.
create table bot_run_results (
  run_id uuid not null,
  team_id uuid not null,
  "position" integer not null,
  case_id uuid,
  conversation_id uuid,
  name text not null,
  outcome text not null,
  is_changed boolean not null,
  is_worse boolean not null,
  cost double precision,
  result jsonb not null,
  constraint bot_run_results_pkey PRIMARY KEY (run_id, "position"),
  constraint bot_run_results_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE,
  constraint bot_run_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES bot_runs(id) ON DELETE CASCADE
);

create index bot_run_results_conversation ON public.bot_run_results (conversation_id) WHERE (conversation_id IS NOT NULL);
