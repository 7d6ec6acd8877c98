-- pool, devices: The sealed credentials and keys of a linked device, as entries. Only the pool that owns the device writes them.
create table device_sessions (
  device_id uuid not null,
  kind text not null,
  entry_id text not null,
  value_sealed bytea not null,
  constraint device_sessions_pkey PRIMARY KEY (device_id, kind, entry_id)
);
