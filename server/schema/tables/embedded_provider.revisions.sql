-- knowledge: What an assistant said at each publish. Rows never change.
create table embedded_provider.revisions (
  assistant_ref text not null,
  revision text not null,
  operation text not null,
  content_hash text not null,
  spec jsonb not null,
  created_at timestamp with time zone not null,
  constraint revisions_pkey PRIMARY KEY (assistant_ref, revision),
  constraint revisions_assistant_ref_operation_content_hash_key UNIQUE (assistant_ref, operation, content_hash),
  constraint revisions_assistant_ref_fkey FOREIGN KEY (assistant_ref) REFERENCES embedded_provider.assistants(ref) ON DELETE CASCADE
);
