-- knowledge: What a bot is for, and how it says that a machine answers. Of the draft; a version keeps its own.
create table bot_policies (
  bot_id uuid not null,
  team_id uuid not null,
  purpose text,
  disclosure jsonb,
  answer_max_age_minutes integer,
  constraint bot_policies_pkey PRIMARY KEY (bot_id),
  constraint bot_policies_team_id_bot_id_fkey FOREIGN KEY (team_id, bot_id) REFERENCES bots(team_id, id) ON DELETE CASCADE
);

-- trigger bot_policies_audit: after insert, update, ../functions/audit_change.sql
