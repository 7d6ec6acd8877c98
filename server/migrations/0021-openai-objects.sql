-- What Parley keeps at OpenAI with ASSISTANT_PROVIDER=openai-hosted. A row is written before its object is created, so that an
-- object whose creation was not confirmed is looked up by its tag instead of being created again.
create table openai_objects (
  installation_id text not null,
  kind text not null check (kind in ('document', 'knowledge')),
  operation text not null,
  content_hash text not null,
  -- OpenAI's id. Null until the creation is confirmed.
  ref text unique,
  -- The vector store in which OpenAI first indexes a document, to report whether it can read it.
  check_store_ref text,
  created_at timestamptz not null default now(),
  primary key (installation_id, kind, operation, content_hash)
);

-- The files in the vector stores of bots. A row is written before the file is attached, and deleted after it was detached.
create table openai_attachments (
  document_ref text not null,
  store_ref text not null,
  primary key (document_ref, store_ref)
);

create index on openai_attachments (store_ref);

-- Where the documents and knowledge stores of the bots are. Only `openai` is outside of this database.
alter table installation add column knowledge_place text not null default 'database'
  check (knowledge_place in ('database', 'openai'));
