-- What a team knows about its contacts, and how its people share the conversations.
create table contacts (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null,
  contact_number text not null,
  -- As the team calls the contact, and as the contact calls itself in the network.
  name text,
  network_name text,
  fields jsonb not null default '{}',
  labels text[] not null default '{}',
  note text not null default '',
  blocked boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  unique (team_id, contact_number)
);
insert into contacts (team_id, contact_number, created_at, updated_at)
select team_id, contact_number, min(created_at), min(created_at) from conversations group by team_id, contact_number;
create index contacts_team_newest on contacts (team_id, created_at desc, id desc);
create index contacts_number on contacts (contact_number);
create index contacts_labels on contacts using gin (labels);
select set_config('search_path', concat_ws(', ', current_setting('search_path'), quote_ident(nspname)), true)
from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'pg_trgm';
create index contacts_names on contacts using gin (lower(coalesce(name, '') || ' ' || coalesce(network_name, '')) gin_trgm_ops);

alter table conversations add column labels text[] not null default '{}';
alter table conversations add column assignee_id uuid references users (id) on delete set null;
alter table conversations add column assigned_at timestamp(3) with time zone;
create index conversations_assigned on conversations (assignee_id, last_message_at desc, id desc) where assignee_id is not null;
create index conversations_labels on conversations using gin (labels);

create table notes (
  id uuid primary key,
  team_id uuid not null,
  conversation_id uuid not null references conversations (id) on delete cascade,
  -- The id of the key, or user: and the id of the user.
  author_id text not null,
  author_name text not null,
  text text not null,
  created_at timestamp(3) with time zone not null default now()
);
create index notes_conversation on notes (conversation_id, created_at desc, id desc);

create table saved_replies (
  team_id uuid primary key references teams (id) on delete cascade,
  replies jsonb not null,
  updated_at timestamp(3) with time zone not null default now()
);
