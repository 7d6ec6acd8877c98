-- chat: What a team knows about a contact: names, labels, a note. The first message adds it, people and requests change it.
create table contacts (
  id uuid not null default gen_random_uuid(),
  team_id uuid not null,
  contact_number text not null,
  name text,
  network_name text,
  fields jsonb not null default '{}'::jsonb,
  labels text[] not null default '{}'::text[],
  note text not null default ''::text,
  blocked boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint contacts_pkey PRIMARY KEY (id),
  constraint contacts_team_id_contact_number_key UNIQUE (team_id, contact_number)
);

create index contacts_labels ON public.contacts USING gin (labels);
create index contacts_names ON public.contacts USING gin (lower(((COALESCE(name, ''::text) || ' '::text) || COALESCE(network_name, ''::text))) gin_trgm_ops);
create index contacts_number ON public.contacts (contact_number);
create index contacts_team_newest ON public.contacts (team_id, created_at DESC, id DESC);
