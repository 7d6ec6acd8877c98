-- platform: When each block of a key's requests was drawn, within the last minute. Unlogged: after a crash every key begins with its full rate.
create unlogged table request_rates (
  api_key_id text not null,
  drawn_at timestamp with time zone[] not null,
  constraint request_rates_pkey PRIMARY KEY (api_key_id),
  constraint request_rates_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(key_id) ON DELETE CASCADE
);
