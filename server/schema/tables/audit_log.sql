-- records: Who changed what. Triggers insert the rows, a job chains them by their hashes, and nobody changes them.
create table audit_log (
  id uuid not null default new_event_id(),
  seq bigint not null generated always as identity,
  at timestamp(3) with time zone not null default clock_timestamp(),
  key_id text,
  request_id text,
  address text,
  operation text not null,
  object_type text not null,
  object_id text,
  team_id uuid,
  before jsonb,
  after jsonb,
  "position" bigint,
  hash bytea,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_position_key UNIQUE ("position")
);

create index audit_log_portal_links ON public.audit_log (object_id) WHERE (object_type = 'portal_link'::text);
create index audit_log_team ON public.audit_log (team_id, id);
create index audit_log_unchained ON public.audit_log (seq) WHERE ("position" IS NULL);
create index audit_log_users ON public.audit_log (object_id) WHERE (object_type = 'user'::text);

-- trigger audit_log_keep_all: before truncate, ../functions/keep_audit_row.sql
-- trigger audit_log_keep_end: before insert, ../functions/keep_audit_row.sql
-- trigger audit_log_keep_rows: before delete, update, ../functions/keep_audit_row.sql
