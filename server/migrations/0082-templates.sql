-- What a business may send outside the window of 24 hours: templates that the network has approved, as it last reported them.
create table message_templates (
  id uuid primary key,
  team_id uuid not null,
  device_id uuid not null,
  name text not null,
  language text not null,
  category text not null,
  state text not null,
  reason text,
  body text not null,
  variables integer not null,
  external_id text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (device_id, name, language),
  foreign key (team_id, device_id) references devices (team_id, id) on delete cascade
);

create index message_templates_newest on message_templates (device_id, created_at desc, id desc);

-- The template that carries a text outside the window: its name and language.
alter table devices add column default_template jsonb;

-- The template that a message is sent as, with its parameters, and the options that it offers.
alter table messages add column template jsonb;
alter table messages add column choices jsonb;
