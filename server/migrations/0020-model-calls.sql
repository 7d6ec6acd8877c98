-- The calls of language models that returned, and what they cost. Months add them up. Null is unknown, never 0.
create table model_calls (
  id bigint generated always as identity primary key,
  team_id uuid not null,
  purpose text not null check (purpose in ('answer', 'question', 'rewrite')),
  -- Null for questions over the API, rewrites and failed attempts.
  answer_id uuid,
  provider text not null,
  model text not null,
  input_tokens integer,
  -- A part of the input tokens.
  cached_tokens integer,
  output_tokens integer,
  -- A part of the output tokens.
  reasoning_tokens integer,
  -- In the currency of the configured prices.
  cost numeric(24, 12),
  created_at timestamptz(3) not null default now()
);
-- For the deletion of a team, and for the calls of an answer.
create index model_calls_answer on model_calls (team_id, answer_id);

-- The sums of the known values of a UTC calendar month (its first day).
create table monthly_model_usage (
  team_id uuid not null references teams (id) on delete cascade,
  month date not null,
  provider text not null,
  model text not null,
  calls integer not null,
  calls_without_tokens integer not null,
  calls_without_cost integer not null,
  input_tokens bigint,
  cached_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  cost numeric,
  primary key (team_id, month, provider, model)
);
