-- What a messaging network reported about the messages that it delivered in a UTC calendar month (its first day), and what they cost.
create table monthly_message_prices (
  team_id uuid not null references teams (id) on delete cascade,
  month date not null,
  category text not null,
  -- Empty: no prices were configured.
  currency text not null,
  billable integer not null,
  not_billable integer not null,
  -- Of the billable ones.
  without_price integer not null,
  -- The sum of the known prices. Null: none is known.
  amount numeric,
  primary key (team_id, month, category, currency)
);
