-- knowledge: Bots with their drafts. live_version names the version that answers.
create table bots (
  id uuid not null,
  team_id uuid not null,
  state text not null,
  name text not null,
  role text not null,
  description text not null,
  instructions text not null,
  identification_name text not null,
  temperature double precision not null,
  chat_model_level integer not null,
  allow_human boolean not null,
  use_audio_responses boolean not null,
  allow_user_audio_requests boolean not null,
  capture_payments boolean not null,
  break_lines boolean not null,
  questions jsonb not null,
  ai_provider_id text,
  vector_id text,
  published boolean not null default false,
  draft_revision integer not null default 1,
  live_version integer,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint bots_pkey PRIMARY KEY (id),
  constraint bots_team_id_id_key UNIQUE (team_id, id),
  constraint bots_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint bots_chat_model_level_check CHECK (chat_model_level >= 1 AND chat_model_level <= 3),
  constraint bots_check CHECK (state <> 'live'::text OR ai_provider_id IS NOT NULL AND vector_id IS NOT NULL),
  constraint bots_state_check CHECK (state = ANY (ARRAY['creating'::text, 'live'::text]))
);

create index bots_creating ON public.bots (created_at) WHERE (state = 'creating'::text);
create index bots_newest ON public.bots (created_at DESC, id DESC) WHERE (state = 'live'::text);
create index bots_team_newest ON public.bots (team_id, created_at DESC, id DESC) WHERE (state = 'live'::text);
create index bots_unpublished ON public.bots (team_id) WHERE ((state = 'live'::text) AND (NOT published));

-- trigger bots_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger bots_record_published: after update of live_version, ../functions/record_bot_event.sql
