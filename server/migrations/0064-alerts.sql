-- What a person wants to hear. Without a row: a mail about their own teams, if the person may answer there.
create table alert_settings (
  person_id uuid primary key references people on delete cascade,
  -- Null: no mails.
  mail_after_minutes smallint,
  push boolean not null,
  devices boolean not null,
  -- In this time of the day there are no alerts. Equal: never.
  quiet_from time not null,
  quiet_until time not null,
  timezone text not null,
  language text not null,
  -- Null: the own teams. Members of the staff must name teams.
  team_ids uuid[]
);

-- Browsers that show alerts. The subscription holds the address and the keys of the browser, sealed.
create table push_subscriptions (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  endpoint_hash bytea not null unique,
  subscription_sealed bytea not null,
  created_at timestamptz(3) not null default now()
);
create index push_subscriptions_person on push_subscriptions (person_id);

-- The key pair by which push services know this deployment. One row.
create table push_keys (
  public_key text primary key,
  private_key_sealed bytea not null
);
create unique index push_keys_one on push_keys ((true));

-- What waits for whom, and whether the person heard of it. A row ends when nothing waits any more.
create table alerts (
  person_id uuid not null references people on delete cascade,
  kind text not null check (kind in ('conversation', 'device')),
  object_id uuid not null,
  team_id uuid not null references teams on delete cascade,
  since timestamptz(3) not null,
  pushed_at timestamptz(3),
  mailed_at timestamptz(3),
  primary key (person_id, kind, object_id)
);
create index alerts_team on alerts (team_id);

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (kind in ('invitation', 'code', 'recovery', 'alert'));
