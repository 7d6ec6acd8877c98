-- records: The receivers of events.
create table webhooks (
  id uuid not null,
  team_id uuid,
  url text not null,
  events text[] not null,
  description text not null,
  enabled boolean not null default true,
  ordered boolean not null,
  thin boolean not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamp(3) with time zone,
  disabled_reason text,
  disabled_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  claimed_by uuid,
  claimed_until timestamp with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint webhooks_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))
);

create index webhooks_newest ON public.webhooks (created_at DESC, id DESC);
create index webhooks_team ON public.webhooks (team_id);

-- trigger webhooks_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger webhooks_delete_deliveries: after delete, ../functions/delete_deliveries_of_webhook.sql
