-- knowledge: The files in the vector stores of bots. A row is written before the file is attached, and deleted after it was detached.
create table openai_attachments (
  document_ref text not null,
  store_ref text not null,
  constraint openai_attachments_pkey PRIMARY KEY (document_ref, store_ref)
);

create index openai_attachments_store_ref_idx ON public.openai_attachments (store_ref);
