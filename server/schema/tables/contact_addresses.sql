-- chat: The addresses of a contact in a device's network: its number, an alias of it, an id that the network assigned. Inbound messages add them.
create table contact_addresses (
  device_id uuid not null,
  address text not null,
  team_id uuid not null,
  contact_number text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint contact_addresses_pkey PRIMARY KEY (device_id, address)
);

create index contact_addresses_contact ON public.contact_addresses (device_id, contact_number, created_at DESC);
create index contact_addresses_team ON public.contact_addresses (team_id);
