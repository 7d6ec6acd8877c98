-- The roles of API keys. A key without a row has all rights within its scope. Version 0.2.0 reads all columns of api_keys, so the role
-- is not one of them.
create table api_key_roles (
  key_id text primary key references api_keys on delete cascade,
  role text not null check (role in ('owner', 'admin', 'support', 'editor', 'agent', 'viewer'))
);
