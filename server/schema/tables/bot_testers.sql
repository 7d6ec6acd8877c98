-- knowledge: Contacts who get the draft of a bot. Requests write them.
create table bot_testers (
  bot_id uuid not null,
  team_id uuid not null,
  contact_number text not null,
  constraint bot_testers_pkey PRIMARY KEY (bot_id, contact_number),
  constraint bot_testers_bot_id_fkey FOREIGN KEY (bot_id) REFERENCES bots(id) ON DELETE CASCADE
);
