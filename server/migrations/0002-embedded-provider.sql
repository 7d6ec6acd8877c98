-- Storage of the embedded assistant provider. It stands in for an outside service, so it has a schema of its own and
-- refers to nothing of Parley's tables; the owner tags are the caller's words.
CREATE SCHEMA embedded_provider;

CREATE TABLE embedded_provider.assistants (
  ref text PRIMARY KEY,
  installation_id text NOT NULL,
  team_id text NOT NULL,
  object_id text NOT NULL,
  operation text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (installation_id, operation)
);

CREATE TABLE embedded_provider.revisions (
  assistant_ref text NOT NULL REFERENCES embedded_provider.assistants ON DELETE CASCADE,
  revision text NOT NULL,
  operation text NOT NULL,
  content_hash text NOT NULL,
  spec jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (assistant_ref, revision),
  UNIQUE (assistant_ref, operation, content_hash)
);

CREATE TABLE embedded_provider.knowledge_stores (
  ref text PRIMARY KEY,
  installation_id text NOT NULL,
  team_id text NOT NULL,
  object_id text NOT NULL,
  operation text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (installation_id, operation)
);

CREATE TABLE embedded_provider.documents (
  ref text PRIMARY KEY,
  installation_id text NOT NULL,
  team_id text NOT NULL,
  object_id text NOT NULL,
  operation text NOT NULL,
  content_hash text NOT NULL,
  name text NOT NULL,
  -- A text search dictionary is `<language>_stem`; `simple` stands for a language that has none.
  language text NOT NULL,
  -- Becomes `ready` with its last passage; `failed` is a document without any text.
  state text NOT NULL CHECK (state IN ('processing', 'ready', 'failed')),
  passage_count integer NOT NULL DEFAULT 0,
  word_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  UNIQUE (installation_id, operation, content_hash)
);

CREATE TABLE embedded_provider.passages (
  document_ref text NOT NULL REFERENCES embedded_provider.documents ON DELETE CASCADE,
  ordinal integer NOT NULL,
  page integer,
  heading text,
  text text NOT NULL,
  word_count integer NOT NULL,
  -- Stems of its words, and the beginnings and ends of the long ones (for compounds and typing errors).
  terms text[] NOT NULL,
  PRIMARY KEY (document_ref, ordinal)
);

-- The index that passages are found by: where each term of a document occurs. A table and not a GIN index over all
-- passages, because a search must read nothing of other documents, and needs to know how rare a term is.
CREATE TABLE embedded_provider.postings (
  document_ref text NOT NULL REFERENCES embedded_provider.documents ON DELETE CASCADE,
  term text NOT NULL,
  ordinals integer[] NOT NULL,
  PRIMARY KEY (document_ref, term)
);
