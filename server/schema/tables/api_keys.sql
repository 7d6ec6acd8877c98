-- tenancy: Keys of partners and teams, with the hash of their secret.
create table api_keys (
  key_id text not null,
  name text not null,
  secret_hash bytea not null,
  scope text not null,
  team_id uuid,
  is_active boolean not null default true,
  expires_at timestamp(3) with time zone,
  last_used timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  token_generation integer not null default 0,
  secret_key_id text,
  constraint api_keys_pkey PRIMARY KEY (key_id),
  constraint api_keys_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint api_keys_check CHECK ((scope = 'team'::text) = (team_id IS NOT NULL)),
  constraint api_keys_scope_check CHECK (scope = ANY (ARRAY['global'::text, 'team'::text]))
);

create index api_keys_team ON public.api_keys (team_id);

-- trigger api_keys_audit: after insert, delete, update, ../functions/audit_change.sql
