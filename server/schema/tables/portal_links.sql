-- tenancy: Addresses that open the console for one team once, and the sessions that began there. A session ends with the creator of its link.
create table portal_links (
  id uuid not null,
  token_hash bytea not null,
  team_id uuid not null,
  role text not null,
  pages text[] not null,
  creator_id text not null,
  creator_generation integer not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  session_hash bytea,
  session_expires_at timestamp(3) with time zone,
  constraint portal_links_pkey PRIMARY KEY (id),
  constraint portal_links_session_hash_key UNIQUE (session_hash),
  constraint portal_links_token_hash_key UNIQUE (token_hash),
  constraint portal_links_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint portal_links_role_check CHECK (role = ANY (ARRAY['viewer'::text, 'agent'::text, 'editor'::text]))
);

create index portal_links_team ON public.portal_links (team_id);

-- trigger portal_links_audit: after insert, update, ../functions/audit_change.sql
