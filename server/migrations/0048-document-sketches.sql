-- Find documents that are nearly the same: the smallest hashes of a document's words, a digest of its words and numbers, and the
-- latest year in it. A job fills them for stored documents, since the version of the index rises.
alter table embedded_provider.documents
  add column sketch integer[],
  add column terms_digest text,
  add column latest_year integer;
