-- knowledge: The pieces of documents that answers quote.
create table embedded_provider.passages (
  document_ref text not null,
  ordinal integer not null,
  page integer,
  heading text,
  text text not null,
  word_count integer not null default 0,
  terms text[] not null,
  constraint passages_pkey PRIMARY KEY (document_ref, ordinal),
  constraint passages_document_ref_fkey FOREIGN KEY (document_ref) REFERENCES embedded_provider.documents(ref) ON DELETE CASCADE
);
