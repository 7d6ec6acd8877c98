-- Mails that wait for the worker. A row is deleted when its mail was sent. Addresses that nobody has are in it, too, so that the
-- request takes the same time; the worker drops their mails.
create table mails (
  id uuid primary key,
  kind text not null check (kind in ('invitation', 'code', 'recovery')),
  email text not null,
  -- Whom an invitation is for.
  user_id uuid references users on delete cascade,
  -- Null: the language of the user's team.
  language text,
  -- The token of a link, or a code, sealed.
  secret_sealed bytea not null,
  expires_at timestamptz(3) not null
);
create unique index mails_user on mails (user_id);

-- When mails were requested in the last hour, by team and by hashed address.
create table mail_rates (
  subject text primary key,
  sent_at timestamptz(3)[] not null
);

-- Codes and links that prove an address. Each works once.
create table address_proofs (
  id uuid primary key,
  email text not null,
  secret_hash bytea not null unique,
  attempts smallint not null default 0,
  expires_at timestamptz(3) not null
);

-- Since then, everything that signs the person in was set by somebody who reads mail to the address.
alter table people add column proved_at timestamptz(3);
