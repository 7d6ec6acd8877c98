-- knowledge: The documents of a bot's draft.
create table bot_documents (
  bot_id uuid not null,
  document_id uuid not null,
  team_id uuid not null,
  "position" integer not null,
  constraint bot_documents_pkey PRIMARY KEY (bot_id, document_id),
  constraint bot_documents_team_id_bot_id_fkey FOREIGN KEY (team_id, bot_id) REFERENCES bots(team_id, id) ON DELETE CASCADE,
  constraint bot_documents_team_id_document_id_fkey FOREIGN KEY (team_id, document_id) REFERENCES documents(team_id, id) ON DELETE CASCADE
);

create index bot_documents_document ON public.bot_documents (document_id);

-- trigger bot_documents_audit: after insert, delete, ../functions/audit_change.sql
