-- knowledge: Which passages contain a word.
create table embedded_provider.postings (
  document_ref text not null,
  term text not null,
  ordinals integer[] not null,
  constraint postings_pkey PRIMARY KEY (document_ref, term),
  constraint postings_document_ref_fkey FOREIGN KEY (document_ref) REFERENCES embedded_provider.documents(ref) ON DELETE CASCADE
);
