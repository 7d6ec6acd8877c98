-- tenancy: The number of teams and of paying ones, in 256 shards. A trigger keeps it.
create table team_counts (
  shard integer not null,
  teams bigint not null default 0,
  paying bigint not null default 0,
  constraint team_counts_pkey PRIMARY KEY (shard)
) with (fillfactor=10);
