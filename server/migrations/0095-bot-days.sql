-- Numbers over weeks, apart from the retention of teams: they hold no contact, number or text of a contact.
create table bot_days (
  team_id uuid not null references teams (id) on delete cascade,
  -- No foreign key: the numbers of a team stay when a bot is deleted.
  bot_id uuid not null,
  -- In the time zone that the team had then.
  day date not null,
  -- all (its name is empty), topic (a pair, a heading, a document or an action), or language (its code).
  kind text not null,
  name text not null,
  questions integer not null,
  answered integer not null,
  asked_back integer not null,
  declined integer not null,
  handed_over integer not null,
  -- Of the answered ones. Counted a day later, only for kind all.
  resolved integer not null default 0,
  thumbs_up integer not null default 0,
  thumbs_down integer not null default 0,
  credits integer not null,
  -- The sum of the times from the first message to the reply.
  wait_ms bigint not null,
  cost numeric not null,
  -- Answers whose cost is unknown.
  unpriced integer not null,
  primary key (team_id, bot_id, day, kind, name)
);

create table bot_days_settled (
  team_id uuid primary key references teams (id) on delete cascade,
  -- Which of the answers until this time were resolved is counted.
  until timestamptz(3) not null
);
