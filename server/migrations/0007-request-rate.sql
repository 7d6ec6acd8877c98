-- When each block of a key's requests was drawn, within the last minute, oldest first. Unlogged: after a crash of the
-- database every key begins with its full rate, which costs less than writing the draws ahead.
create unlogged table request_rates (
  api_key_id text primary key references api_keys (key_id) on delete cascade,
  drawn_at timestamptz[] not null
);
