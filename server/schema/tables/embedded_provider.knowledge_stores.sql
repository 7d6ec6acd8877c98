-- knowledge: Which documents a bot searches.
create table embedded_provider.knowledge_stores (
  ref text not null,
  installation_id text not null,
  team_id text not null,
  object_id text not null,
  operation text not null,
  created_at timestamp with time zone not null,
  constraint knowledge_stores_pkey PRIMARY KEY (ref),
  constraint knowledge_stores_installation_id_operation_key UNIQUE (installation_id, operation)
);
