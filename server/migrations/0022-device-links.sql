-- An address at which a phone can be linked to a device without an API key. A device has at most one.
create table device_links (
  device_id uuid primary key,
  team_id uuid not null,
  token_hash bytea not null unique,
  expires_at timestamptz(3) not null,
  -- A phone was linked. From then on, the address shows no QR code.
  used_at timestamptz(3),
  foreign key (team_id, device_id) references devices (team_id, id) on delete cascade
);
