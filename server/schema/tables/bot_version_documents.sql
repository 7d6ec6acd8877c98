-- knowledge: The documents of a published version.
create table bot_version_documents (
  bot_id uuid not null,
  version integer not null,
  document_id uuid not null,
  team_id uuid not null,
  "position" integer not null,
  constraint bot_version_documents_pkey PRIMARY KEY (bot_id, version, document_id),
  constraint bot_version_documents_bot_id_version_fkey FOREIGN KEY (bot_id, version) REFERENCES bot_versions(bot_id, version) ON DELETE CASCADE,
  constraint bot_version_documents_team_id_document_id_fkey FOREIGN KEY (team_id, document_id) REFERENCES documents(team_id, id) ON DELETE CASCADE
);

create index bot_version_documents_document ON public.bot_version_documents (document_id);
