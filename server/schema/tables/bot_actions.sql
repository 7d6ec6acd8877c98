-- knowledge: The actions of a bot's draft.
create table bot_actions (
  bot_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  "position" integer not null,
  name text not null,
  description text not null,
  endpoint text not null,
  method text not null,
  headers_sealed bytea not null,
  body jsonb not null,
  parameters jsonb not null default '[]'::jsonb,
  constraint bot_actions_pkey PRIMARY KEY (bot_id, id),
  constraint bot_actions_team_id_bot_id_fkey FOREIGN KEY (team_id, bot_id) REFERENCES bots(team_id, id) ON DELETE CASCADE,
  constraint bot_actions_method_check CHECK (method = ANY (ARRAY['GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))
);

-- trigger bot_actions_audit: after insert, delete, update, ../functions/audit_change.sql
