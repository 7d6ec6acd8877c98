-- Events that networks push. The key of an event stays after it is done, so that a repeated push changes nothing.
create table network_inbox (
  device_id uuid not null,
  event_key text not null,
  seq bigint not null generated always as identity,
  team_id uuid not null,
  contact_number text,
  payload jsonb,
  bytes bytea,
  received_at timestamptz(3) not null default now(),
  done_at timestamptz(3),
  primary key (device_id, event_key),
  foreign key (team_id, device_id) references devices (team_id, id) on delete cascade
);

create index network_inbox_pending on network_inbox (device_id, seq) where done_at is null;
create index network_inbox_received on network_inbox (team_id, received_at);

-- What the chat on a website looks like and who may show it. Null: the defaults.
alter table devices add column web_chat jsonb;
