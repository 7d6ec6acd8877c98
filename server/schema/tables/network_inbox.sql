-- devices: Events that networks push, stored before the response. The pool that owns the device reads them in order. Only the keys of done events stay.
create table network_inbox (
  device_id uuid not null,
  event_key text not null,
  seq bigint not null generated always as identity,
  team_id uuid not null,
  contact_number text,
  payload jsonb,
  bytes bytea,
  received_at timestamp(3) with time zone not null default now(),
  done_at timestamp(3) with time zone,
  constraint network_inbox_pkey PRIMARY KEY (device_id, event_key),
  constraint network_inbox_team_id_device_id_fkey FOREIGN KEY (team_id, device_id) REFERENCES devices(team_id, id) ON DELETE CASCADE
);

create index network_inbox_pending ON public.network_inbox (device_id, seq) WHERE (done_at IS NULL);
create index network_inbox_received ON public.network_inbox (team_id, received_at);
