-- People who can sign in, apart from the users: a user can be a member of a team without a way to sign in, and one person can be several
-- users. Version 0.2.0 reads all columns of users, so the person is not one of them.
create table people (
  id uuid primary key,
  -- In lower case. Several people may have the same address.
  email text not null,
  -- The number of the procedure, a colon, and the hash. Null without a password.
  password_hash text,
  last_seen_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index people_email on people (email);

create table memberships (
  user_id uuid primary key references users on delete cascade,
  person_id uuid not null references people on delete cascade
);
create index memberships_person on memberships (person_id);

create table sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  person_id uuid not null references people on delete cascade,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  address text not null,
  user_agent text,
  -- Until then, the person may set a password without knowing the present one, because of how the session began.
  password_settable_until timestamptz(3)
);
create index sessions_person on sessions (person_id);

create table sign_in_links (
  token_hash bytea primary key,
  kind text not null check (kind in ('setup', 'invitation', 'sign_in')),
  -- Null for the link that creates the first owner.
  user_id uuid references users on delete cascade,
  expires_at timestamptz(3) not null,
  unique nulls not distinct (kind, user_id)
);
create index sign_in_links_user on sign_in_links (user_id);

create index users_email on users (lower(email));

-- Names of people who are no longer users come from the rows about them.
create index audit_log_users on audit_log (object_id) where object_type = 'user';

-- People have a request rate, too. The job that forgets idempotency keys deletes old rows.
alter table request_rates drop constraint request_rates_api_key_id_fkey;
