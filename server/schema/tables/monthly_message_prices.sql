-- tenancy: What messaging networks reported about the prices of messages, by UTC calendar month. The first status with a price writes it.
create table monthly_message_prices (
  team_id uuid not null,
  month date not null,
  category text not null,
  currency text not null,
  billable integer not null,
  not_billable integer not null,
  without_price integer not null,
  amount numeric,
  constraint monthly_message_prices_pkey PRIMARY KEY (team_id, month, category, currency),
  constraint monthly_message_prices_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE
);
