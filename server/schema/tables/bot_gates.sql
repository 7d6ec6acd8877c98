-- quality: What a draft must pass before it is published.
create table bot_gates (
  bot_id uuid not null,
  team_id uuid not null,
  min_pass double precision not null,
  max_worse integer not null,
  sources text[] not null,
  recent_count integer not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint bot_gates_pkey PRIMARY KEY (bot_id),
  constraint bot_gates_bot_id_fkey FOREIGN KEY (bot_id) REFERENCES bots(id) ON DELETE CASCADE
);
