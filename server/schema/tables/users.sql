-- tenancy: The members of teams with their roles, and the partner's staff, which has no team.
create table users (
  id uuid not null,
  team_id uuid,
  name text not null,
  email text not null,
  phone text,
  created_at timestamp(3) with time zone not null default now(),
  role text not null default 'owner'::text,
  picture bytea,
  picture_type text,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint users_role_check CHECK (role = ANY (
CASE
    WHEN team_id IS NULL THEN ARRAY['owner'::text, 'admin'::text, 'support'::text]
    ELSE ARRAY['owner'::text, 'editor'::text, 'agent'::text, 'viewer'::text]
END))
);

create index users_email ON public.users (lower(email));
create index users_team ON public.users (team_id);

-- trigger users_audit: after insert, delete, update, ../functions/audit_change.sql
