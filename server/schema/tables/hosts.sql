-- tenancy: Host names that show the brand of a team before anybody signs in. PUT /hosts/{name} writes them.
create table hosts (
  name text not null,
  team_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint hosts_pkey PRIMARY KEY (name),
  constraint hosts_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);

create index hosts_team ON public.hosts (team_id);

-- trigger hosts_audit: after insert, delete, update, ../functions/audit_change.sql
