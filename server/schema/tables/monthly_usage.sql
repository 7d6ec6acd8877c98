-- tenancy: Active messages and credits that a team used in a UTC calendar month. The charge of a message writes it.
create table monthly_usage (
  team_id uuid not null,
  month date not null,
  active_messages integer not null default 0,
  credits integer not null default 0,
  exhausted_at_credits integer,
  constraint monthly_usage_pkey PRIMARY KEY (team_id, month),
  constraint monthly_usage_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint monthly_usage_active_messages_check CHECK (active_messages >= 0),
  constraint monthly_usage_credits_check CHECK (credits >= 0)
);

-- trigger monthly_usage_record_first: after insert, ../functions/record_monthly_usage_event.sql
-- trigger monthly_usage_record_rise: after update of active_messages, credits, ../functions/record_monthly_usage_event.sql
