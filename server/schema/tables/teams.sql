-- tenancy: The tenants.
create table teams (
  id uuid not null,
  name text not null,
  plan_name text not null,
  paying boolean not null,
  banned boolean not null default false,
  quota_bots integer,
  quota_accounts integer,
  quota_characters integer,
  quota_documents integer,
  quota_members integer,
  quota_credits integer,
  settings jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint teams_pkey PRIMARY KEY (id),
  constraint teams_plan_name_fkey FOREIGN KEY (plan_name) REFERENCES plans(name),
  constraint teams_quota_accounts_check CHECK (quota_accounts >= 0),
  constraint teams_quota_bots_check CHECK (quota_bots >= 0),
  constraint teams_quota_characters_check CHECK (quota_characters >= 0),
  constraint teams_quota_credits_check CHECK (quota_credits >= 0),
  constraint teams_quota_documents_check CHECK (quota_documents >= 0),
  constraint teams_quota_members_check CHECK (quota_members >= 0)
);

create index teams_name_parts ON public.teams USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='256');
create index teams_newest ON public.teams (created_at DESC, id DESC);
create index teams_paying_newest ON public.teams (paying, created_at DESC, id DESC);
create index teams_plan ON public.teams (plan_name);

-- trigger teams_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger teams_count_added: after insert, ../functions/count_teams.sql
-- trigger teams_count_changed: after update, ../functions/count_teams.sql
-- trigger teams_count_gone: after delete, ../functions/count_teams.sql
-- trigger teams_record_created: after insert, ../functions/record_team_event.sql
-- trigger teams_record_deleted: after delete, ../functions/record_team_event.sql
-- trigger teams_record_updated: after update, ../functions/record_team_event.sql
