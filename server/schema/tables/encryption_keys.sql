-- platform: The ids of the keys that the database needs.
create table encryption_keys (
  key_id text not null,
  first_used_at timestamp(3) with time zone not null default now(),
  constraint encryption_keys_pkey PRIMARY KEY (key_id)
);
