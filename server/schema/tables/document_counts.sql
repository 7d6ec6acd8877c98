-- knowledge: The number of live documents by team and type. A trigger keeps it.
create table document_counts (
  team_id uuid not null,
  type text not null,
  documents bigint not null,
  constraint document_counts_pkey PRIMARY KEY (team_id, type)
) with (fillfactor=70);
