-- knowledge: Uploaded documents, from the intent (uploading) to the deletion.
create table documents (
  id uuid not null,
  team_id uuid not null,
  state text not null,
  name text not null,
  type text not null,
  size integer not null,
  ai_provider_id text,
  file_key text,
  chars integer not null,
  charged_characters integer not null,
  provider_status text not null default 'processing'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  provider_asked_at timestamp(3) with time zone,
  next_provider_id text,
  constraint documents_pkey PRIMARY KEY (id),
  constraint documents_team_id_id_key UNIQUE (team_id, id),
  constraint documents_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id) ON DELETE CASCADE,
  constraint documents_check CHECK (state <> 'live'::text OR ai_provider_id IS NOT NULL AND file_key IS NOT NULL),
  constraint documents_provider_status_check CHECK (provider_status = ANY (ARRAY['processing'::text, 'ready'::text, 'failed'::text])),
  constraint documents_state_check CHECK (state = ANY (ARRAY['uploading'::text, 'live'::text])),
  constraint documents_type_check CHECK (type = ANY (ARRAY['pdf'::text, 'txt'::text, 'docx'::text, 'doc'::text, 'md'::text, 'html'::text, 'csv'::text, 'xlsx'::text, 'pptx'::text]))
);

create index documents_failed ON public.documents (team_id) WHERE ((state = 'live'::text) AND (provider_status = 'failed'::text));
create index documents_file_key ON public.documents (file_key);
create index documents_name_parts ON public.documents USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE (state = 'live'::text);
create index documents_newest ON public.documents (created_at DESC, id DESC) WHERE (state = 'live'::text);
create index documents_processing ON public.documents (provider_asked_at NULLS FIRST) WHERE ((state = 'live'::text) AND (provider_status = 'processing'::text));
create index documents_team_newest ON public.documents (team_id, created_at DESC, id DESC) WHERE (state = 'live'::text);
create index documents_team_type_newest ON public.documents (team_id, type, created_at DESC, id DESC) WHERE (state = 'live'::text);
create index documents_type_newest ON public.documents (type, created_at DESC, id DESC) WHERE (state = 'live'::text);
create index documents_uploading ON public.documents (created_at) WHERE (state = 'uploading'::text);

-- trigger documents_audit: after insert, delete, update, ../functions/audit_change.sql
-- trigger documents_count_added: after insert, ../functions/count_documents.sql
-- trigger documents_count_changed: after update, ../functions/count_documents.sql
-- trigger documents_count_gone: after delete, ../functions/count_documents.sql
-- trigger documents_record_changed: after update of state, provider_status, ../functions/record_document_event.sql
-- trigger documents_record_inserted: after insert, ../functions/record_document_event.sql
