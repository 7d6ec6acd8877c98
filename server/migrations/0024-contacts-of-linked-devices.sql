-- The addresses of a contact in a device's network: its number, an alias of the number, an id that the network assigned.
create table contact_addresses (
  device_id uuid not null,
  address text not null,
  team_id uuid not null,
  -- International format, or 'lid:' and an id of the network while the number is unknown.
  contact_number text not null,
  created_at timestamptz(3) not null default now(),
  primary key (device_id, address)
);
create index contact_addresses_contact on contact_addresses (device_id, contact_number, created_at desc);
create index contact_addresses_team on contact_addresses (team_id);

-- A contact that turned out to be another one, whose conversation continues.
create table contact_merges (
  device_id uuid not null,
  merged_contact text not null,
  team_id uuid not null,
  contact_number text not null,
  merged_at timestamptz(3) not null default now(),
  primary key (device_id, merged_contact)
);
create index contact_merges_contact on contact_merges (device_id, contact_number);
create index contact_merges_team on contact_merges (team_id);

-- The network refuses new chats of this account until then.
alter table devices add column new_chats_restricted_until timestamptz(3);
alter table devices add column new_chats_restricted_by text;
-- The network suspends the account until then.
alter table devices add column suspended_until timestamptz(3);
-- Whether the message waits for the end of a restriction. Otherwise it is refused.
alter table messages add column held_when_restricted boolean not null default false;
