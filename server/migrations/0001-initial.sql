-- One deployment serves one partner. Every tenant table carries team_id, and foreign keys between tenant tables are
-- composite over (team_id, id), so that a row can never point into another team.

create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz(3) not null default now()
);
insert into installation default values;

create table plans (
  name text primary key,
  allow_active_messaging boolean not null,
  active_messages_monthly integer not null check (active_messages_monthly >= 0),
  paying boolean not null,
  bots integer not null check (bots >= 0),
  accounts integer not null check (accounts >= 0),
  characters integer not null check (characters >= 0),
  documents integer not null check (documents >= 0),
  members integer not null check (members >= 0),
  credits integer not null check (credits >= 0)
);
insert into plans values
  ('free', false, 0, false, 1, 1, 200000, 5, 1, 200),
  ('starter', true, 100, true, 3, 3, 2000000, 50, 3, 2000),
  ('pro', true, 1000, true, 10, 10, 20000000, 500, 10, 20000),
  ('enterprise', true, 10000, true, 100, 100, 200000000, 5000, 100, 200000);

-- A null quota follows the plan; a number is the team's own and persists over changes of plan.
create table teams (
  id uuid primary key,
  name text not null,
  plan_name text not null references plans (name),
  paying boolean not null,
  banned boolean not null default false,
  quota_bots integer check (quota_bots >= 0),
  quota_accounts integer check (quota_accounts >= 0),
  quota_characters integer check (quota_characters >= 0),
  quota_documents integer check (quota_documents >= 0),
  quota_members integer check (quota_members >= 0),
  quota_credits integer check (quota_credits >= 0),
  settings jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index teams_newest on teams (created_at desc, id desc);
create index teams_plan on teams (plan_name);

-- What a team has now, against its quotas. Kept by the statements that create and delete; the row's lock makes the
-- quotas exact under concurrency.
create table team_usage (
  team_id uuid primary key references teams (id) on delete cascade,
  bots integer not null default 0 check (bots >= 0),
  accounts integer not null default 0 check (accounts >= 0),
  characters integer not null default 0 check (characters >= 0),
  documents integer not null default 0 check (documents >= 0),
  members integer not null default 0 check (members >= 0)
);

-- What a team has used in a UTC calendar month (its first day).
create table monthly_usage (
  team_id uuid not null references teams (id) on delete cascade,
  month date not null,
  active_messages integer not null default 0 check (active_messages >= 0),
  credits integer not null default 0 check (credits >= 0),
  primary key (team_id, month)
);

create table users (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  email text not null,
  phone text,
  created_at timestamptz(3) not null default now()
);
create index users_team on users (team_id);

create table api_keys (
  key_id text primary key,
  name text not null,
  secret_hash bytea not null,
  scope text not null check (scope in ('global', 'team')),
  team_id uuid references teams (id) on delete cascade,
  is_active boolean not null default true,
  expires_at timestamptz(3),
  last_used timestamptz(3),
  created_at timestamptz(3) not null default now(),
  check ((scope = 'team') = (team_id is not null))
);
create index api_keys_team on api_keys (team_id);

-- The answer to a request that carried an Idempotency-Key. status is null while the first request is in flight: it then
-- holds the row until claimed_until, so that a process that died ends by itself.
create table idempotency_keys (
  api_key_id text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  body jsonb,
  claim uuid not null,
  claimed_until timestamptz not null,
  created_at timestamptz(3) not null default now(),
  primary key (api_key_id, method, path, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- state: 'uploading' rows are intents, invisible to everyone; 'live' rows are documents.
create table documents (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  state text not null check (state in ('uploading', 'live')),
  name text not null,
  type text not null check (type in ('pdf', 'txt', 'docx', 'doc')),
  size integer not null,
  ai_provider_id text,
  file_key text,
  chars integer not null,
  -- The larger of declared and extracted characters: what the quota counts.
  charged_characters integer not null,
  provider_status text not null default 'processing' check (provider_status in ('processing', 'ready', 'failed')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (team_id, id),
  check (state <> 'live' or (ai_provider_id is not null and file_key is not null))
);
create index documents_newest on documents (created_at desc, id desc) where state = 'live';
create index documents_team_newest on documents (team_id, created_at desc, id desc) where state = 'live';
create index documents_uploading on documents (created_at) where state = 'uploading';

-- The draft. state as with documents: a bot exists once its assistant and knowledge store do.
create table bots (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  state text not null check (state in ('creating', 'live')),
  name text not null,
  role text not null,
  description text not null,
  instructions text not null,
  identification_name text not null,
  temperature double precision not null,
  chat_model_level integer not null check (chat_model_level between 1 and 3),
  allow_human boolean not null,
  use_audio_responses boolean not null,
  allow_user_audio_requests boolean not null,
  capture_payments boolean not null,
  break_lines boolean not null,
  questions jsonb not null,
  ai_provider_id text,
  vector_id text,
  published boolean not null default false,
  -- Rises with every change of the draft: what a publish compares before it sets published.
  draft_revision integer not null default 1,
  -- The version that devices answer with; null until the first publish.
  live_version integer,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (team_id, id),
  check (state <> 'live' or (ai_provider_id is not null and vector_id is not null))
);
create index bots_newest on bots (created_at desc, id desc) where state = 'live';
create index bots_team_newest on bots (team_id, created_at desc, id desc) where state = 'live';
create index bots_creating on bots (created_at) where state = 'creating';

create table bot_actions (
  bot_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  position integer not null,
  name text not null,
  description text not null,
  endpoint text not null,
  method text not null check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  -- Header names and values, sealed: they hold the partner's credentials.
  headers_sealed bytea not null,
  body jsonb not null,
  primary key (bot_id, id),
  foreign key (team_id, bot_id) references bots (team_id, id) on delete cascade
);

create table bot_documents (
  bot_id uuid not null,
  document_id uuid not null,
  team_id uuid not null,
  position integer not null,
  primary key (bot_id, document_id),
  foreign key (team_id, bot_id) references bots (team_id, id) on delete cascade,
  foreign key (team_id, document_id) references documents (team_id, id) on delete cascade
);
create index bot_documents_document on bot_documents (document_id);

-- An immutable snapshot of a draft, made by publish.
create table bot_versions (
  bot_id uuid not null,
  version integer not null,
  team_id uuid not null,
  -- Everything but the actions' headers and the documents.
  spec jsonb not null,
  actions_sealed bytea not null,
  provider_revision text not null,
  published_at timestamptz(3) not null default now(),
  primary key (bot_id, version),
  foreign key (team_id, bot_id) references bots (team_id, id) on delete cascade
);

-- The documents of a version. Deleting a document takes it out of every version at once.
create table bot_version_documents (
  bot_id uuid not null,
  version integer not null,
  document_id uuid not null,
  team_id uuid not null,
  primary key (bot_id, version, document_id),
  foreign key (bot_id, version) references bot_versions (bot_id, version) on delete cascade,
  foreign key (team_id, document_id) references documents (team_id, id) on delete cascade
);
create index bot_version_documents_document on bot_version_documents (document_id);

-- One incarnation of a pool process. Its lease, on the database's clock, is the lease of all its devices.
create table pools (
  id uuid primary key,
  url text not null,
  capacity integer not null check (capacity >= 0),
  -- Devices placed here: kept by the statements that place and remove, exact under concurrency.
  devices integer not null default 0 check (devices >= 0),
  draining boolean not null default false,
  lease_until timestamptz not null,
  started_at timestamptz(3) not null default now()
);

create table devices (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  bot_id uuid not null,
  name text not null,
  status text not null default 'stopped' check (status in ('stopped', 'started')),
  connected boolean not null default false,
  blocked boolean not null default false,
  -- Credentials of a linked phone are stored.
  logged_in boolean not null default false,
  phone_number text,
  pool_id uuid not null,
  pool_url text not null,
  -- Rises whenever the device changes its owner: the fence of every write by an owner.
  epoch bigint not null default 1,
  qr_text text,
  qr_expires_at timestamptz(3),
  last_disconnect_reason text,
  last_disconnect_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (team_id, id),
  foreign key (team_id, bot_id) references bots (team_id, id)
);
create index devices_newest on devices (created_at desc, id desc);
create index devices_team_newest on devices (team_id, created_at desc, id desc);
create index devices_bot on devices (bot_id);
create index devices_pool on devices (pool_id);
create unique index devices_linked_phone on devices (phone_number) where logged_in;

-- Session state of a device's link to the network, sealed. No foreign key: it outlives the device until it is unlinked.
create table device_sessions (
  device_id uuid not null,
  kind text not null,
  entry_id text not null,
  value_sealed bytea not null,
  primary key (device_id, kind, entry_id)
);

-- A chat of one contact with one device, and the queue of answering: due when answer_due_at has passed. Bulk rows
-- (conversations, messages, answers) carry no foreign keys; a job purges them in batches.
create table conversations (
  id uuid primary key,
  team_id uuid not null,
  device_id uuid not null,
  contact_number text not null,
  state text not null default 'bot' check (state in ('bot', 'paused')),
  paused_until timestamptz(3),
  flag text,
  answer_due_at timestamptz(3),
  claim_fence bigint not null default 0,
  claimed_until timestamptz,
  attempts integer not null default 0,
  last_message_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  unique (device_id, contact_number)
);
create index conversations_due on conversations (answer_due_at) where answer_due_at is not null;
create index conversations_team on conversations (team_id, last_message_at desc, id desc);

-- Every message, in and out; the outbox is its rows with status 'accepted'.
create table messages (
  id uuid primary key,
  seq bigint generated always as identity,
  team_id uuid not null,
  device_id uuid not null,
  contact_number text not null,
  direction text not null check (direction in ('in', 'out')),
  origin text not null check (origin in ('contact', 'bot', 'api', 'person')),
  kind text not null check (kind in ('text', 'image', 'voice', 'document')),
  text text not null,
  mime_type text,
  -- Chosen by us for what we send, by the network for what it brings.
  network_id text not null,
  -- in: received, answered, ignored. out: accepted, sent, delivered, read, refused, unknown.
  status text not null check (status in
    ('received', 'answered', 'ignored', 'accepted', 'sent', 'delivered', 'read', 'refused', 'unknown')),
  failure text,
  answer_id uuid,
  -- The month that was charged, null when nothing was; refunded when the charge was given back.
  charged_month date,
  refunded boolean not null default false,
  -- ai_generates_message: what became of it.
  generation text check (generation in ('requested', 'generated', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  claim_epoch bigint,
  claimed_until timestamptz,
  sent_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create unique index messages_network_id on messages (device_id, contact_number, direction, network_id);
create index messages_outbox on messages (device_id, seq) where direction = 'out' and status = 'accepted';
create index messages_unanswered on messages (device_id, contact_number, seq) where direction = 'in' and status = 'received';
create index messages_chat on messages (device_id, contact_number, seq);
create index messages_team_newest on messages (team_id, seq desc);

create table message_media (
  message_id uuid not null,
  position integer not null,
  kind text not null check (kind in ('image', 'voice', 'document')),
  mime_type text not null,
  bytes bytea not null,
  seconds integer,
  waveform bytea,
  primary key (message_id, position)
);

-- How an answer came about.
create table answers (
  id uuid primary key,
  team_id uuid not null,
  bot_id uuid not null,
  version integer not null,
  device_id uuid not null,
  contact_number text not null,
  answered boolean not null,
  credits integer not null,
  trace jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index answers_chat on answers (device_id, contact_number, created_at);

-- What lives outside the database and must go: removed by jobs until its absence is confirmed.
create table tombstones (
  id uuid primary key,
  team_id uuid not null,
  kind text not null check (kind in ('assistant', 'knowledge', 'document', 'file', 'session', 'team_rows')),
  ref text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  last_error text,
  created_at timestamptz(3) not null default now()
);
create index tombstones_due on tombstones (next_attempt_at);
