-- tenancy: Those who can sign in, with the hash of their password. One person can be several users.
create table people (
  id uuid not null,
  email text not null,
  password_hash text,
  last_seen_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  proved_at timestamp(3) with time zone,
  constraint people_pkey PRIMARY KEY (id)
);

create index people_email ON public.people (email);

-- trigger people_audit: after insert, delete, update, ../functions/audit_change.sql
