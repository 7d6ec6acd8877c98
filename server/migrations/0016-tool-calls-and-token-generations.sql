-- The tool calls of an answer in progress, so that a retry continues after them. They end with the answer, or with the
-- conversation. Only the loop in answering/ reads the JSON.
create table tool_calls (
  conversation_id uuid not null references conversations (id) on delete cascade,
  -- The first of the messages to answer. Rows with another one belong to an earlier answer.
  first_message_id uuid not null,
  position integer not null,
  call json not null,
  -- Null until the call has returned.
  outcome json,
  primary key (conversation_id, first_message_id, position)
);

-- Increases when the key is deactivated. Tokens of an earlier generation stay invalid.
alter table api_keys add column token_generation integer not null default 0;
