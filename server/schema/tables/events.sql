-- records: What happened, for webhooks and streams. Triggers and statements insert rows in the transaction of the change.
create table events (
  id uuid not null default new_event_id(),
  xid xid8 not null default pg_current_xact_id(),
  seq bigint not null generated always as identity,
  team_id uuid,
  type text not null,
  device_id uuid,
  contact_number text,
  data jsonb not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint events_pkey PRIMARY KEY (id)
);

create index events_order ON public.events (xid, seq);
create index events_team_order ON public.events (team_id, xid, seq);
