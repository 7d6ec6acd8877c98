-- The draft a version was made of: a publish that was overtaken by a newer one must not put its older draft live.
alter table bot_versions add column draft_revision integer not null;

-- Documents keep the order they have in the draft.
alter table bot_version_documents add column position integer not null;
