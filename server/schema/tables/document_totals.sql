-- knowledge: The number of live documents of all teams by type, in 256 shards. A trigger keeps it.
create table document_totals (
  shard integer not null,
  type text not null,
  documents bigint not null,
  constraint document_totals_pkey PRIMARY KEY (shard, type)
) with (fillfactor=10);
