-- platform: One row: who this deployment is, and where its documents are.
create table installation (
  only_row boolean not null default true,
  id uuid not null default gen_random_uuid(),
  created_at timestamp(3) with time zone not null default now(),
  key_check bytea,
  document_folder text,
  device_token_key_sealed bytea,
  knowledge_place text not null default 'database'::text,
  constraint installation_pkey PRIMARY KEY (only_row),
  constraint installation_knowledge_place_check CHECK (knowledge_place = ANY (ARRAY['database'::text, 'openai'::text])),
  constraint installation_only_row_check CHECK (only_row)
);
