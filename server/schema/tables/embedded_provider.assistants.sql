-- knowledge: The assistants of bots that Parley itself answers for.
create table embedded_provider.assistants (
  ref text not null,
  installation_id text not null,
  team_id text not null,
  object_id text not null,
  operation text not null,
  created_at timestamp with time zone not null,
  constraint assistants_pkey PRIMARY KEY (ref),
  constraint assistants_installation_id_operation_key UNIQUE (installation_id, operation)
);
