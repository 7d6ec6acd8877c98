-- tenancy: Codes and links that prove an address when somebody sends them back. Each works once.
create table address_proofs (
  id uuid not null,
  email text not null,
  secret_hash bytea not null,
  attempts smallint not null default 0,
  expires_at timestamp(3) with time zone not null,
  constraint address_proofs_pkey PRIMARY KEY (id),
  constraint address_proofs_secret_hash_key UNIQUE (secret_hash)
);
