-- tenancy: The secret of a person for codes of an app, and the hashes of recovery codes.
create table second_factors (
  person_id uuid not null,
  secret_sealed bytea not null,
  confirmed_at timestamp(3) with time zone,
  last_step bigint not null default 0,
  recovery_codes_hash bytea[] not null default '{}'::bytea[],
  created_at timestamp(3) with time zone not null default now(),
  constraint second_factors_pkey PRIMARY KEY (person_id),
  constraint second_factors_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE
);

-- trigger second_factors_audit: after insert, delete, update, ../functions/audit_change.sql
