-- tenancy: Who is signed in, with the hash of the cookie.
create table sessions (
  id uuid not null,
  token_hash bytea not null,
  person_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  last_seen_at timestamp(3) with time zone not null default now(),
  address text not null,
  user_agent text,
  password_settable_until timestamp(3) with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE
);

create index sessions_person ON public.sessions (person_id);

-- trigger sessions_audit: after insert, delete, ../functions/audit_change.sql
