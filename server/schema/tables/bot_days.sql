-- chat: Numbers over weeks: what the answers of a bot were on a day. Answering counts them. No contact, number or text of a contact.
create table bot_days (
  team_id uuid not null,
  bot_id uuid not null,
  day date not null,
  kind text not null,
  name text not null,
  questions integer not null,
  answered integer not null,
  asked_back integer not null,
  declined integer not null,
  handed_over integer not null,
  resolved integer not null default 0,
  thumbs_up integer not null default 0,
  thumbs_down integer not null default 0,
  credits integer not null,
  wait_ms bigint not null,
  cost numeric not null,
  unpriced integer not null,
  constraint bot_days_pkey PRIMARY KEY (team_id, bot_id, day, kind, name),
  constraint bot_days_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
