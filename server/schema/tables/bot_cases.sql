-- quality: Conversations, and what must hold for the reply of a bot. Requests write them.
create table bot_cases (
  id uuid not null,
  team_id uuid not null,
  bot_id uuid not null,
  name text not null,
  messages jsonb not null,
  checks jsonb not null,
  origin text not null,
  enabled boolean not null default true,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint bot_cases_pkey PRIMARY KEY (id),
  constraint bot_cases_bot_id_fkey FOREIGN KEY (bot_id) REFERENCES bots(id) ON DELETE CASCADE
);

create index bot_cases_bot ON public.bot_cases (bot_id, created_at DESC, id DESC);
