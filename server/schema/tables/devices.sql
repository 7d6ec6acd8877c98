-- devices: The phones and websites that bots answer on. Requests write the wanted state, the pool that owns the device the state that the network reports.
create table devices (
  id uuid not null,
  team_id uuid not null,
  bot_id uuid not null,
  name text not null,
  status text not null default 'stopped'::text,
  connected boolean not null default false,
  blocked boolean not null default false,
  logged_in boolean not null default false,
  phone_number text,
  pool_id uuid not null,
  pool_url text not null,
  epoch bigint not null default 1,
  qr_text text,
  qr_expires_at timestamp(3) with time zone,
  last_disconnect_reason text,
  last_disconnect_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  token_generation integer not null default 0,
  new_chats_restricted_until timestamp(3) with time zone,
  new_chats_restricted_by text,
  suspended_until timestamp(3) with time zone,
  pairing_phone_number text,
  network text,
  web_chat jsonb,
  missed_call_reply text,
  account_id text,
  account_key text,
  default_template jsonb,
  quality text,
  messaging_limit integer,
  site_key text,
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_team_id_id_key UNIQUE (team_id, id),
  constraint devices_team_id_bot_id_fkey FOREIGN KEY (team_id, bot_id) REFERENCES bots(team_id, id),
  constraint devices_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint devices_status_check CHECK (status = ANY (ARRAY['stopped'::text, 'started'::text]))
);

create index devices_account_key ON public.devices (account_key) WHERE (account_key IS NOT NULL);
create index devices_bot ON public.devices (bot_id);
create unique index devices_connected_account ON public.devices (network, account_id) WHERE (logged_in AND (account_id IS NOT NULL));
create unique index devices_linked_phone ON public.devices (phone_number, network) NULLS NOT DISTINCT WHERE (logged_in AND (phone_number IS NOT NULL));
create index devices_newest ON public.devices (created_at DESC, id DESC);
create index devices_pool ON public.devices (pool_id);
create unique index devices_site_key ON public.devices (site_key) WHERE (site_key IS NOT NULL);
create index devices_team_newest ON public.devices (team_id, created_at DESC, id DESC);

-- trigger devices_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger devices_free_pool_places: after delete, ../functions/free_pool_places.sql
-- trigger devices_record_changed: after update, ../functions/record_device_event.sql
