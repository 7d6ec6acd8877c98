-- chat: What people of a team write to each other about a conversation. The contact never sees it.
create table notes (
  id uuid not null,
  team_id uuid not null,
  conversation_id uuid not null,
  author_id text not null,
  author_name text not null,
  text text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint notes_pkey PRIMARY KEY (id),
  constraint notes_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE
);

create index notes_conversation ON public.notes (conversation_id, created_at DESC, id DESC);
