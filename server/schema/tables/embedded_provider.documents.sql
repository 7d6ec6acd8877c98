-- knowledge: The text of a document as the search has it.
create table embedded_provider.documents (
  ref text not null,
  installation_id text not null,
  team_id text not null,
  object_id text not null,
  operation text not null,
  content_hash text not null,
  name text not null,
  language text not null,
  state text not null,
  passage_count integer not null default 0,
  created_at timestamp with time zone not null,
  vectors_model text,
  index_version integer not null default 1,
  sketch integer[],
  terms_digest text,
  latest_year integer,
  constraint documents_pkey PRIMARY KEY (ref),
  constraint documents_installation_id_operation_content_hash_key UNIQUE (installation_id, operation, content_hash),
  constraint documents_state_check CHECK (state = ANY (ARRAY['processing'::text, 'ready'::text, 'failed'::text]))
);
