-- The version of the rules that made the terms of the document's passages. Earlier versions of Parley write none, so that a job
-- indexes their documents again.
alter table embedded_provider.documents add column index_version integer not null default 1;
