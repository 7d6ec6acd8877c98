-- Vectors of passages, for the search by meaning. They are replaced when the embedding model changes.
create table embedded_provider.passage_vectors (
  document_ref text not null references embedded_provider.documents on delete cascade,
  ordinal integer not null,
  model text not null,
  -- One bit per dimension: whether its value is positive. Null if the model refuses the passage.
  signs bit varying,
  -- The values as little-endian float16. The length of the vector is 1.
  vector bytea,
  primary key (document_ref, ordinal)
);
-- Random bits do not compress, and signs must stay beside the keys that a search scans.
alter table embedded_provider.passage_vectors
  alter column signs set storage main,
  alter column vector set storage external;

-- The model whose vectors all passages of the document have. Null if there is none.
alter table embedded_provider.documents add column vectors_model text;
