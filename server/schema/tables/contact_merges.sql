-- chat: A contact that turned out to be another one, whose conversation continues. Inbound messages add it.
create table contact_merges (
  device_id uuid not null,
  merged_contact text not null,
  team_id uuid not null,
  contact_number text not null,
  merged_at timestamp(3) with time zone not null default now(),
  constraint contact_merges_pkey PRIMARY KEY (device_id, merged_contact)
);

create index contact_merges_contact ON public.contact_merges (device_id, contact_number);
create index contact_merges_team ON public.contact_merges (team_id);
