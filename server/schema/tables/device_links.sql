-- devices: The address at which a phone can be linked to a device without an API key.
create table device_links (
  device_id uuid not null,
  team_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint device_links_pkey PRIMARY KEY (device_id),
  constraint device_links_token_hash_key UNIQUE (token_hash),
  constraint device_links_team_id_device_id_fkey FOREIGN KEY (team_id, device_id) REFERENCES devices(team_id, id) ON DELETE CASCADE
);

-- trigger device_links_audit: after insert, delete, update, ../functions/audit_change.sql
