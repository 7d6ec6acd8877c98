-- knowledge: The meaning of passages, if there is an embedding model.
create table embedded_provider.passage_vectors (
  document_ref text not null,
  ordinal integer not null,
  model text not null,
  signs bit varying,
  vector bytea,
  constraint passage_vectors_pkey PRIMARY KEY (document_ref, ordinal),
  constraint passage_vectors_document_ref_fkey FOREIGN KEY (document_ref) REFERENCES embedded_provider.documents(ref) ON DELETE CASCADE
);
