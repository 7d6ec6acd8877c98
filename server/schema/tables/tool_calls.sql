-- chat: The tool calls of an answer in progress, so that a retry continues after them. They end with the answer, or with the conversation.
create table tool_calls (
  conversation_id uuid not null,
  first_message_id uuid not null,
  "position" integer not null,
  call json not null,
  outcome json,
  constraint tool_calls_pkey PRIMARY KEY (conversation_id, first_message_id, "position"),
  constraint tool_calls_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE
);
