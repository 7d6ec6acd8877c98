-- platform: When each block of a key's requests was drawn, within the last minute. Unlogged: after a crash every key begins with its full rate.
create unlogged table request_rates (
  api_key_id text not null,
  drawn_at timestamp with time zone[] not null,
  constraint request_rates_pkey PRIMARY KEY (api_key_id)
);
