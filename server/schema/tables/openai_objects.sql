-- knowledge: What Parley keeps at OpenAI. A row is written before its object is created, so that an unconfirmed one is looked up by its tag.
create table openai_objects (
  installation_id text not null,
  kind text not null,
  operation text not null,
  content_hash text not null,
  ref text,
  check_store_ref text,
  created_at timestamp with time zone not null default now(),
  constraint openai_objects_pkey PRIMARY KEY (installation_id, kind, operation, content_hash),
  constraint openai_objects_ref_key UNIQUE (ref),
  constraint openai_objects_kind_check CHECK (kind = ANY (ARRAY['document'::text, 'knowledge'::text]))
);
