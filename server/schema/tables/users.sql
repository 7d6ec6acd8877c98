-- tenancy: The administrators of teams.
create table users (
  id uuid not null,
  team_id uuid not null,
  name text not null,
  email text not null,
  phone text,
  created_at timestamp(3) with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);

create index users_team ON public.users (team_id);

-- trigger users_audit: after insert, ../functions/audit_change.sql
