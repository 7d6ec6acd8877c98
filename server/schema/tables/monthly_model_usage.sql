-- tenancy: The sums of model_calls by UTC calendar month.
create table monthly_model_usage (
  team_id uuid not null,
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
  constraint monthly_model_usage_pkey PRIMARY KEY (team_id, month, provider, model),
  constraint monthly_model_usage_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
