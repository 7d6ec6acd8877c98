-- Receivers of events. team_id is null for a webhook that gets the events of all teams.
create table webhooks (
  id uuid primary key,
  team_id uuid references teams (id) on delete cascade,
  url text not null,
  -- Types of events, or only '*'.
  events text[] not null,
  description text not null,
  enabled boolean not null default true,
  ordered boolean not null,
  thin boolean not null,
  secret_sealed bytea not null,
  -- Also signs, until then.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz(3),
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  disabled_at timestamptz(3),
  -- Since the first of the failures that no success has followed.
  failing_since timestamptz(3),
  -- The worker process that delivers to this webhook.
  claimed_by uuid,
  claimed_until timestamptz,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index webhooks_newest on webhooks (created_at desc, id desc);
create index webhooks_team on webhooks (team_id);

create table webhook_deliveries (
  event_id uuid not null references events (id) on delete cascade,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  -- The order of the event.
  xid xid8 not null,
  seq bigint not null,
  -- Deliveries of one chat wait for each other. Null: no order.
  chat text,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_attempt_at timestamptz(3),
  response_status integer,
  error text,
  created_at timestamptz(3) not null default now(),
  primary key (event_id, webhook_id)
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, xid, seq) where status = 'pending';
create index webhook_deliveries_chat on webhook_deliveries (webhook_id, chat, xid, seq)
  where status = 'pending' and chat is not null;
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc, event_id desc);
