-- The kind of the failure behind the flag `provider_failed`.
alter table conversations add column flag_reason text;

-- Conversations that rest because the AI provider failed, for the job that answers them when it works again.
create index conversations_provider_failed on conversations (id) where flag = 'provider_failed' and answer_due_at is null;

-- What the partner says about the values that the AI fills in.
alter table bot_actions add column parameters jsonb not null default '[]';
