-- Passkeys sign people in, at one host each. An older release does not know them.
create table passkeys (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- How often the authenticator says that it was used. 0 for one that does not count.
  counter bigint not null,
  -- The host name at which browsers offer it.
  host text not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
create index passkeys_person on passkeys (person_id);

-- What an authenticator has to sign, once.
create table passkey_challenges (
  challenge_hash bytea primary key,
  -- Null: to sign in, when the person is not known yet.
  person_id uuid references people on delete cascade,
  expires_at timestamptz(3) not null
);
create index passkey_challenges_person on passkey_challenges (person_id);
create index passkey_challenges_expiry on passkey_challenges (expires_at);
