-- A second factor of a person: codes of an app (TOTP). An older release does not ask for it.
create table second_factors (
  person_id uuid primary key references people on delete cascade,
  secret_sealed bytea not null,
  -- Null until a code of the app confirmed it. Until then it does not count.
  confirmed_at timestamptz(3),
  -- The 30 seconds of the last code that was accepted. A code works once, and so does none before it.
  last_step bigint not null default 0,
  -- Of the recovery codes that were not used.
  recovery_codes_hash bytea[] not null default '{}',
  created_at timestamptz(3) not null default now()
);
