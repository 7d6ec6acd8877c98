-- The keys that values or hashes in this database may need, by the id that sealed values carry. A row is written before
-- its key seals anything, and removed when nothing needs the key any more. installation.key_check had this role for one
-- key; it is only read when this table is empty, and a later version can drop it.
create table encryption_keys (
  key_id text primary key,
  first_used_at timestamptz(3) not null default now()
);

-- Tokens of devices are derived from this key. It is sealed like other secrets, so a rotation does not change them.
alter table installation add column device_token_key_sealed bytea;

-- Rises when the token of the device is revoked.
alter table devices add column token_generation integer not null default 0;

-- The key that secret_hash was made with; null for hashes of version 0.1.0.
alter table api_keys add column secret_key_id text;
